-- Parsed files, as ctx/store/parse_cache.py keeps them.

CREATE TABLE files (
    path TEXT PRIMARY KEY,
    signature TEXT NOT NULL,   -- stat fields of the file, empty while it may still change unseen
    digest BLOB NOT NULL,
    chunks TEXT NOT NULL,
    cards TEXT NOT NULL,
    told BLOB NOT NULL,
    terms BLOB NOT NULL,
    seal INTEGER NOT NULL,     -- of path and the columns from ``digest`` on
    text_seal INTEGER NOT NULL,
    text BLOB NOT NULL         -- marked how; last, so that the columns above are read without it
);
