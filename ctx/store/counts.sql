-- How often each entry was included, by day, as ctx/store/counts.py counts it.

CREATE TABLE said (
    entry BLOB NOT NULL,
    day TEXT NOT NULL,      -- as ISO 8601
    times INTEGER NOT NULL,
    PRIMARY KEY (entry, day)
) WITHOUT ROWID;
