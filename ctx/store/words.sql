-- The words of all entries, as ctx/store/words.py keeps them; in memory where no file can be.
-- They are split and stemmed already: what is not ASCII is all part of words. Of the forms, which are
-- the words that stemming changes as they were, only which there are is kept, a row a part.

CREATE TABLE parts (
    name BLOB PRIMARY KEY,
    first INTEGER NOT NULL,   -- its entries are the rows from here on
    digest BLOB NOT NULL,
    entries INTEGER NOT NULL,
    anchors BLOB NOT NULL,    -- how many dates and times each entry names, a byte each
    words BLOB NOT NULL,      -- as indexed, a line an entry, then the forms: FTS5 needs them
                              -- to remove the entries; or empty
    damage INTEGER NOT NULL   -- CRC of the words
);

CREATE TABLE whole (damage INTEGER NOT NULL);

CREATE VIRTUAL TABLE entries USING fts5(title, body, content='', tokenize='ascii');

CREATE VIRTUAL TABLE forms USING fts5(
    form, content='', columnsize=0, detail='none', tokenize='ascii'
);

CREATE VIRTUAL TABLE forms_known USING fts5vocab(forms, row);

CREATE VIRTUAL TABLE entries_known USING fts5vocab(entries, row);
