-- The schema of a team's memory, for PostgreSQL 15 and later; see docs/team.md.
--
-- Each part begins with a line of `-- part` and its number, runs once, in order and in one transaction, and is
-- never changed afterwards. The part `always` holds what is made anew by each
-- `ctx share init`: functions, triggers and privileges. All of it belongs to ctx_owner, who cannot
-- log in; people and CI are members of ctx_member, and see what `grants` gives them.

-- part 1
CREATE TABLE ctx.server (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    id uuid NOT NULL DEFAULT gen_random_uuid()
);
INSERT INTO ctx.server DEFAULT VALUES;

-- Numbers, not names, are in all other tables and in the catalogue of partitions, which everybody
-- can read.
CREATE TABLE ctx.repositories (
    repository int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL UNIQUE,
    version bigint NOT NULL DEFAULT 0,  -- of its last change: what cursors of pulls count
    entries bigint NOT NULL DEFAULT 0,
    tokens bigint NOT NULL DEFAULT 0    -- words of all entries
);
CREATE TABLE ctx.grants (
    repository int NOT NULL REFERENCES ctx.repositories ON DELETE CASCADE,
    who text NOT NULL,                  -- a person, a group, a CI
    writes boolean NOT NULL,
    PRIMARY KEY (who, repository)
);
CREATE TABLE ctx.entries (
    repository int NOT NULL,
    kind text NOT NULL,
    -- One audience a partition: rarities count what policies hide.
    visibility text NOT NULL DEFAULT 'repository' CHECK (visibility = 'repository'),
    day text NOT NULL,
    session text COLLATE "C" NOT NULL,
    place int NOT NULL,
    id uuid NOT NULL,                   -- digest of repository, session, place and text
    author text NOT NULL,
    anchor text NOT NULL,
    speaker text NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    stems text NOT NULL,                -- as the local index has them; title | body
    tokens int NOT NULL,                -- how many stems there are
    anchors smallint NOT NULL,          -- dates and times that the text names
    embedder text NOT NULL DEFAULT '',
    version bigint NOT NULL,
    gone text NOT NULL DEFAULT '' CHECK (gone IN ('', 'replaced', 'forgotten')),
    PRIMARY KEY (repository, id)
) PARTITION BY LIST (repository);
CREATE INDEX ON ctx.entries (repository, session, place) WHERE gone = '';
CREATE INDEX ON ctx.entries (repository, version);
-- What a push adds waits in a list, which ctx.settle sorts in once: that loads twice as fast.
CREATE INDEX ON ctx.entries USING gin (string_to_array(stems, ' '))
    WITH (gin_pending_list_limit = 65536) WHERE gone = '';
CREATE TABLE ctx.sessions (
    repository int NOT NULL,
    session text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    author text NOT NULL,
    entries int NOT NULL,
    speakers text[] NOT NULL,
    forms text[] NOT NULL,              -- words that stemming changes, as they were
    steps int[] NOT NULL DEFAULT '{}',  -- places of calls of tools and the like
    forgotten boolean NOT NULL DEFAULT false,
    PRIMARY KEY (repository, session)
);
CREATE TABLE ctx.words (
    repository int NOT NULL,
    word text COLLATE "C" NOT NULL,
    form boolean NOT NULL,              -- before stemming
    held int NOT NULL,                  -- by how many entries; forms by how many sessions
    PRIMARY KEY (repository, word, form)
);

-- part 2 vector
ALTER TABLE ctx.entries ADD COLUMN embedding @vector@.halfvec;

-- part always
CREATE OR REPLACE FUNCTION ctx.mine(writing boolean DEFAULT false) RETURNS SETOF int
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT repository FROM ctx.grants WHERE (writes OR NOT writing) AND who = ANY (ARRAY(
        SELECT rolname::text FROM pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER')))
    UNION SELECT repository FROM ctx.repositories
    WHERE pg_has_role(session_user, 'ctx_owner', 'MEMBER')
$$;

-- Forces row level security on a table, with the policies of all tables that members see.
CREATE OR REPLACE FUNCTION ctx.guard(which regclass, written boolean) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    writer constant text := 'repository IN (SELECT ctx.mine(true)) AND ';
    own constant text := '(author = session_user::text OR kind <> ''turn'')';
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', which);
    IF EXISTS (SELECT FROM pg_policy WHERE polrelid = which) THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE POLICY owner ON %s TO ctx_owner USING (true)', which);
    EXECUTE format('CREATE POLICY read ON %s FOR SELECT TO ctx_member '
                   'USING (repository IN (SELECT ctx.mine()))', which);
    IF written THEN
        EXECUTE format('CREATE POLICY add ON %s FOR INSERT TO ctx_member '
                       'WITH CHECK (%s author = session_user::text)', which, writer);
        EXECUTE format('CREATE POLICY change ON %s FOR UPDATE TO ctx_member '
                       'USING (%s %s) WITH CHECK (%s %s)', which, writer, own, writer, own);
    END IF;
END $$;
SELECT ctx.guard('ctx.entries', true), ctx.guard('ctx.sessions', true),
       ctx.guard('ctx.words', false), ctx.guard('ctx.repositories', false),
       ctx.guard('ctx.grants', false);
SELECT ctx.guard(inhrelid, true) FROM pg_inherits WHERE inhparent = 'ctx.entries'::regclass;

-- Returns the number of a repository, made if need be.
CREATE OR REPLACE FUNCTION ctx.repository(called text) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
    found int;
    part text;
    compression text;
BEGIN
    INSERT INTO ctx.repositories (name) VALUES (called) ON CONFLICT (name) DO NOTHING;
    SELECT repository INTO found FROM ctx.repositories WHERE name = called FOR UPDATE;
    part := 'entries_' || found;
    IF to_regclass('ctx.' || part) IS NULL THEN
        EXECUTE format('CREATE TABLE ctx.%I PARTITION OF ctx.entries FOR VALUES IN (%s)',
                       part, found);
        SELECT 'lz4' INTO compression FROM pg_settings
        WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals);
        IF compression IS NOT NULL THEN
            EXECUTE format('ALTER TABLE ctx.%I ALTER text SET COMPRESSION lz4, '
                           'ALTER stems SET COMPRESSION lz4', part);
        END IF;
        PERFORM ctx.guard(format('ctx.%I', part)::regclass, true);
    END IF;
    RETURN found;
END $$;

-- Keeps how many entries hold each word, whoever changes entries, and how.
CREATE OR REPLACE FUNCTION ctx.count_entries() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO ctx.words AS w (repository, word, form, held)
        SELECT repository, word, false, count(*) FROM after,
            LATERAL (SELECT DISTINCT unnest(string_to_array(stems, ' ')) AS word) each
        WHERE gone = '' GROUP BY 1, 2
        ON CONFLICT (repository, word, form) DO UPDATE SET held = w.held + excluded.held;
        UPDATE ctx.repositories r SET entries = r.entries + d.n, tokens = r.tokens + d.tokens
        FROM (SELECT repository, count(*) AS n, sum(tokens) AS tokens
              FROM after WHERE gone = '' GROUP BY 1) d
        WHERE d.repository = r.repository;
        RETURN NULL;
    END IF;
    INSERT INTO ctx.words AS w (repository, word, form, held)
    SELECT repository, word, false, sum(n)
    FROM (SELECT repository, stems, 1 AS n FROM after WHERE gone = ''
          UNION ALL SELECT repository, stems, -1 FROM before WHERE gone = '') d,
        LATERAL (SELECT DISTINCT unnest(string_to_array(stems, ' ')) AS word) each
    GROUP BY 1, 2 HAVING sum(n) <> 0
    ON CONFLICT (repository, word, form) DO UPDATE SET held = w.held + excluded.held;
    DELETE FROM ctx.words WHERE NOT form AND held <= 0
        AND repository IN (SELECT repository FROM before);
    UPDATE ctx.repositories r SET entries = r.entries + d.n, tokens = r.tokens + d.tokens
    FROM (SELECT repository, sum(n) AS n, sum(n * tokens) AS tokens
          FROM (SELECT repository, tokens, 1 AS n FROM after WHERE gone = ''
                UNION ALL SELECT repository, tokens, -1 FROM before WHERE gone = '') every
          GROUP BY 1) d
    WHERE d.repository = r.repository;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER added AFTER INSERT ON ctx.entries
    REFERENCING NEW TABLE AS after EXECUTE FUNCTION ctx.count_entries();
CREATE OR REPLACE TRIGGER changed AFTER UPDATE ON ctx.entries
    REFERENCING OLD TABLE AS before NEW TABLE AS after EXECUTE FUNCTION ctx.count_entries();

-- The same of the words before stemming, by session.
CREATE OR REPLACE FUNCTION ctx.count_forms() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO ctx.words AS w (repository, word, form, held)
        SELECT repository, unnest(forms), true, count(*) FROM after GROUP BY 1, 2
        ON CONFLICT (repository, word, form) DO UPDATE SET held = w.held + excluded.held;
        RETURN NULL;
    END IF;
    INSERT INTO ctx.words AS w (repository, word, form, held)
    SELECT repository, word, true, sum(n) FROM (
        SELECT repository, unnest(forms) AS word, 1 AS n FROM after
        UNION ALL SELECT repository, unnest(forms), -1 FROM before) d
    GROUP BY 1, 2 HAVING sum(n) <> 0
    ON CONFLICT (repository, word, form) DO UPDATE SET held = w.held + excluded.held;
    DELETE FROM ctx.words WHERE form AND held <= 0
        AND repository IN (SELECT repository FROM before);
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS counted ON ctx.sessions;
CREATE OR REPLACE TRIGGER added AFTER INSERT ON ctx.sessions
    REFERENCING NEW TABLE AS after EXECUTE FUNCTION ctx.count_forms();
CREATE OR REPLACE TRIGGER changed AFTER UPDATE ON ctx.sessions
    REFERENCING OLD TABLE AS before NEW TABLE AS after EXECUTE FUNCTION ctx.count_forms();

-- Begins a push: nobody else changes the repository until it ends.
CREATE OR REPLACE FUNCTION ctx.begin(called text, OUT number int, OUT change bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    UPDATE ctx.repositories SET version = version + 1
    WHERE name = called AND repository IN (SELECT ctx.mine(true)) RETURNING repository, version
$$;

-- Ends pushes: sorts what they added into the index of words.
CREATE OR REPLACE FUNCTION ctx.settle(called text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT gin_clean_pending_list(i.indexrelid) FROM ctx.repositories r
    JOIN pg_index i ON i.indrelid = to_regclass('ctx.entries_' || r.repository)
    JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin'
    WHERE r.name = called AND r.repository IN (SELECT ctx.mine(true))
$$;

-- What a search asks, in this order. Functions, since an index on stems is not used below a policy
-- (its operators are not leakproof); the repositories that they look at are those of the session's
-- user, whatever they are asked for.

CREATE OR REPLACE FUNCTION ctx.visible(names text[])
RETURNS TABLE (repository int, name text, version bigint, entries bigint, tokens bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT r.repository, r.name, r.version, r.entries, r.tokens FROM ctx.repositories r
    WHERE r.repository IN (SELECT ctx.mine()) AND (names IS NULL OR r.name = ANY (names))
    ORDER BY r.name
$$;

-- How many entries hold each word, and what words begin so.
CREATE OR REPLACE FUNCTION ctx.known(names text[], words text[], beginnings text[], most int)
RETURNS TABLE (name text, word text, form boolean, held int)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT r.name, w.word, w.form, w.held FROM ctx.visible(names) r, LATERAL (
        SELECT k.word, k.form, k.held FROM ctx.words k
        WHERE k.repository = r.repository AND k.word = ANY (words)
        UNION
        SELECT k.* FROM unnest(beginnings) b, LATERAL (
            SELECT word, form, held FROM ctx.words
            WHERE repository = r.repository AND word >= b AND word < b || U&'\+10FFFF'
            LIMIT most) k
    ) w
$$;

-- The entries that hold any of the words, and how often each, as text: clients read arrays slowly.
-- Of words that more than `most`
-- entries hold together only the rarest are looked for.
DROP FUNCTION IF EXISTS ctx.holders;
CREATE FUNCTION ctx.holders(names text[], words text[], most int)
RETURNS TABLE (name text, session text, place int, day text, tokens int, anchors smallint,
               held text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    r record;
    counted text;
    looked text[];
BEGIN
    SELECT string_agg(CASE WHEN strpos(w, ' ') > 0
        THEN format('(length(s) - length(replace(s, %L, ''''))) / %s',
                    ' ' || w || ' ', length(w) + 2)
        ELSE format('CASE WHEN strpos(s, %L) > 0 THEN cardinality(array_positions(a, %L)) '
                    'ELSE 0 END', ' ' || w || ' ', w) END, ', ' ORDER BY at)
    INTO counted FROM unnest(words) WITH ORDINALITY u(w, at);
    FOR r IN SELECT * FROM ctx.visible(names) LOOP
        SELECT array_agg(word) INTO looked FROM (
            SELECT k.word, sum(k.held) OVER (ORDER BY k.held, k.word) AS together,
                row_number() OVER (ORDER BY k.held, k.word) AS at
            FROM ctx.words k WHERE k.repository = r.repository AND NOT k.form
                AND k.word = ANY (string_to_array(array_to_string(words, ' '), ' '))) every
        WHERE together <= most OR at = 1;
        CONTINUE WHEN looked IS NULL;
        RETURN QUERY EXECUTE format(
            'SELECT $1, e.session, e.place, e.day, e.tokens, e.anchors, concat_ws('','', %s) FROM ('
            'SELECT session, place, day, tokens, anchors, string_to_array(stems, '' '') AS a, '
            ''' '' || stems || '' '' AS s FROM ctx.%I '
            'WHERE gone = '''' AND string_to_array(stems, '' '') && $2 LIMIT $3 OFFSET 0) e',
            counted, 'entries_' || r.repository) USING r.name, looked, most;
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ctx.parts(names text[])
RETURNS TABLE (name text, session text, kind text, entries int, speakers text[], steps int[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT r.name, s.session, s.kind, s.entries, s.speakers, s.steps FROM ctx.visible(names) r
    JOIN ctx.sessions s USING (repository) WHERE s.entries > 0 ORDER BY r.name, s.session
$$;

-- The sessions that have changed since, those that changed last at the end.
CREATE OR REPLACE FUNCTION ctx.changed(called text, since bigint)
RETURNS TABLE (session text, kind text, version bigint, entries int)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT * FROM ctx.visible(ARRAY[called]) LOOP
        RETURN QUERY EXECUTE format(
            'SELECT session, min(kind), max(version), '
            '(count(*) FILTER (WHERE gone = ''''))::int FROM ctx.%I WHERE version > $1 '
            'GROUP BY session ORDER BY 3, 1', 'entries_' || r.repository) USING since;
    END LOOP;
END $$;

-- The entries in spans of sessions; their texts only where they are wanted whole.
CREATE OR REPLACE FUNCTION ctx.spans(
    called text, sessions text[], firsts int[], lasts int[], whole boolean)
RETURNS TABLE (session text, place int, day text, anchors smallint, anchor text, speaker text,
               marks text, size int, author text, title text, text text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT * FROM ctx.visible(ARRAY[called]) LOOP
        RETURN QUERY EXECUTE format(
            'SELECT e.session, e.place, e.day, e.anchors, e.anchor, e.speaker, '
            'CASE WHEN strpos(e.stems, %L) > 0 THEN substr(e.stems, strpos(e.stems, %L)) '
            'ELSE '''' END, length(e.text), e.author, '
            'CASE WHEN $4 THEN e.title END, CASE WHEN $4 THEN e.text END '
            'FROM unnest($1, $2, $3) u(session, first, last) JOIN ctx.%I e '
            'ON e.session = u.session AND e.place BETWEEN u.first AND u.last AND e.gone = '''' '
            'AND e.repository = %s',
            U&'\E000', U&'\E000', 'entries_' || r.repository, r.repository)
        USING sessions, firsts, lasts, whole;
    END LOOP;
END $$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ctx FROM PUBLIC;
GRANT USAGE ON SCHEMA ctx TO ctx_member;
GRANT SELECT ON ctx.server, ctx.migrations, ctx.repositories, ctx.words, ctx.grants TO ctx_member;
GRANT SELECT, INSERT, UPDATE ON ctx.entries, ctx.sessions TO ctx_member;
GRANT EXECUTE ON FUNCTION ctx.mine, ctx.begin, ctx.settle, ctx.visible, ctx.known, ctx.holders, ctx.parts,
    ctx.changed, ctx.spans TO ctx_member;

-- part always vector
-- Cosines of entries and a vector: of all entries where there are up to `most`, else of the nearest
-- by an index, which `ctx share init` makes.
CREATE OR REPLACE FUNCTION ctx.near(called text, model text, asked text, most int, nearest int)
RETURNS TABLE (session text, places int[], cosines float8[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    r record;
    entries text := 'SELECT session, place, 1 - (embedding OPERATOR(@vector@.<=>) '
        '$1::@vector@.halfvec) AS cosine FROM ctx.%I '
        'WHERE gone = '''' AND embedder = $2 AND embedding IS NOT NULL';
    size int := array_length(string_to_array(asked, ','), 1);
BEGIN
    FOR r IN SELECT * FROM ctx.visible(ARRAY[called]) LOOP
        IF r.entries > most THEN
            PERFORM set_config('hnsw.ef_search', nearest::text, true);
            entries := 'SELECT session, place, 1 - (embedding OPERATOR(@vector@.<=>) '
                '$1::@vector@.halfvec) AS cosine FROM ctx.%I WHERE gone = '''' AND embedder = $2 '
                'ORDER BY embedding::@vector@.halfvec(' || size || ') OPERATOR(@vector@.<=>) '
                '$1::@vector@.halfvec(' || size || ') LIMIT ' || nearest;
        END IF;
        RETURN QUERY EXECUTE format('SELECT session, array_agg(place), array_agg(cosine) FROM ('
            || entries || ') every GROUP BY session', 'entries_' || r.repository)
        USING asked, model;
    END LOOP;
END $$;
CREATE OR REPLACE FUNCTION ctx.vectors(
    called text, model text, sessions text[], firsts int[], lasts int[])
RETURNS TABLE (session text, place int, vector bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT * FROM ctx.visible(ARRAY[called]) LOOP
        RETURN QUERY EXECUTE format(
            'SELECT e.session, e.place, @vector@.halfvec_send(e.embedding) '
            'FROM unnest($1, $2, $3) u(session, first, last) JOIN ctx.%I e '
            'ON e.session = u.session AND e.place BETWEEN u.first AND u.last AND e.gone = '''' '
            'AND e.embedder = $4 AND e.embedding IS NOT NULL', 'entries_' || r.repository)
        USING sessions, firsts, lasts, model;
    END LOOP;
END $$;
-- What is gone has no vector either: it tells what the text was about.
CREATE OR REPLACE FUNCTION ctx.forget_vector() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    NEW.embedding := NULL;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER gone BEFORE UPDATE ON ctx.entries
    FOR EACH ROW WHEN (NEW.gone <> '') EXECUTE FUNCTION ctx.forget_vector();
-- Partitions in which a scan of all vectors takes too long get an index.
DO $$
DECLARE
    number int;
    size int;
BEGIN
    FOR number IN SELECT repository FROM ctx.repositories WHERE entries > 100000 LOOP
        EXECUTE format('SELECT @vector@.vector_dims(embedding) FROM ctx.entries_%s '
                       'WHERE embedding IS NOT NULL LIMIT 1', number) INTO size;
        IF size IS NOT NULL THEN
            EXECUTE format('CREATE INDEX IF NOT EXISTS near_%s ON ctx.entries_%s USING hnsw '
                           '((embedding::@vector@.halfvec(%s)) @vector@.halfvec_cosine_ops)',
                           number, number, size);
        END IF;
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION ctx.near, ctx.vectors FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ctx.near, ctx.vectors TO ctx_member;
