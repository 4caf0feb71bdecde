-- Vectors by model, part and content, as ctx/store/vectors.py keeps them.

CREATE TABLE vectors (
    model BLOB NOT NULL,
    part BLOB NOT NULL,
    digest BLOB NOT NULL,   -- of the file's bytes when all of it was embedded, else empty
    dim INTEGER NOT NULL,
    hashes BLOB NOT NULL,   -- of the texts, in order of place
    rows BLOB NOT NULL,
    seal INTEGER NOT NULL, -- of all the others
    PRIMARY KEY (model, part)
) WITHOUT ROWID;

CREATE TABLE tiers (
    model BLOB NOT NULL,
    part BLOB NOT NULL,
    dim INTEGER NOT NULL,
    source INTEGER NOT NULL, -- CRC of what these are derived from
    rows BLOB NOT NULL,
    seal INTEGER NOT NULL, -- of all the others
    PRIMARY KEY (model, part, dim)
) WITHOUT ROWID;
