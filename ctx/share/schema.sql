-- The schema of a team's memory, for PostgreSQL 15 and later; see docs/team.md.
--
-- Each part begins with a line of `-- part` and its number, runs once, in order and in one
-- transaction, and is never changed afterwards. The part `always` holds what is made anew by each
-- `ctx share init`: functions, triggers and privileges. All of it belongs to ctx_owner, who cannot
-- log in; people and CI are members of ctx_member, and see what `grants` gives them.
--
-- Members have no right to a table that holds anything of a repository: they call functions, which
-- run as ctx_owner and ask who logged in (session_user). So each of them names the schema of every
-- relation, and has a search path that ends in pg_temp: where that is not named, PostgreSQL looks
-- for relations and types among the temporary ones of the caller first.

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
    id uuid NOT NULL,                   -- digest of session, place, title and text
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
CREATE INDEX ON ctx.entries (session, place) WHERE gone = '';
CREATE TABLE ctx.sessions (
    repository int NOT NULL,
    session text COLLATE "C" NOT NULL,
    number int GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL,
    author text NOT NULL,
    version bigint NOT NULL,            -- of its last change
    entries int NOT NULL,
    speakers text[] NOT NULL,
    forms text[] NOT NULL,              -- words that stemming changes, as they were
    steps int[] NOT NULL DEFAULT '{}',  -- places of calls of tools and the like
    forgotten boolean NOT NULL DEFAULT false,
    PRIMARY KEY (repository, session)
);
-- What holds each word. A push adds a block below 0 of its own to each of its words; now and then
-- these are appended to those from 0 on, of which each is closed once it is large. A GIN index over
-- stems takes more space and holds no counts.
CREATE TABLE ctx.words (
    repository int NOT NULL,
    block int NOT NULL,
    word text COLLATE "C" NOT NULL,
    hits bytea NOT NULL,                -- 13 bytes an entry, as ctx.share.server.HIT unpacks them
    PRIMARY KEY (repository, word, block)
);
CREATE TABLE ctx.forms (                -- words before stemming, by how many sessions hold them
    repository int NOT NULL,
    word text COLLATE "C" NOT NULL,
    held int NOT NULL,
    PRIMARY KEY (repository, word)
);

-- part 2 vector
ALTER TABLE ctx.entries ADD COLUMN embedding @vector@.halfvec;

-- part 3
-- What decisions and the like were before somebody changed them or took them back: all who write
-- may, so it stays readable who wrote what, and who ended it when. Turns leave nothing here.
CREATE TABLE ctx.history (
    repository int NOT NULL,
    session text COLLATE "C" NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL,
    day text NOT NULL,
    author text NOT NULL,
    title text NOT NULL,
    text text NOT NULL,
    ended_by text NOT NULL,
    ended timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (repository, session, number)
);
CREATE TYPE ctx.arriving AS (           -- an entry of a push
    session text, kind text, place int, id uuid, day text, anchor text, speaker text, title text,
    text text, stems text, anchors smallint, vector text
);
-- Ids were digests that clients made, by which alone some of what was forgotten was known.
UPDATE ctx.sessions s SET forgotten = true WHERE NOT forgotten AND entries = 0 AND 'forgotten' = (
    SELECT min(gone) FROM ctx.entries e
    WHERE e.repository = s.repository AND e.session = s.session);

-- part always
CREATE OR REPLACE FUNCTION ctx.mine(writing boolean DEFAULT false) RETURNS SETOF int
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT repository FROM ctx.grants WHERE (writes OR NOT writing) AND who = ANY (ARRAY(
        SELECT rolname::text FROM pg_catalog.pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER')))
    UNION SELECT repository FROM ctx.repositories
    WHERE pg_has_role(session_user, 'ctx_owner', 'MEMBER')
$$;

-- Forces row level security on a table, with these policies and no others. Members have no right to
-- select either: the time and the plan of a query of their own tell of rows that a policy hides. A
-- role that an administrator lets select sees its repositories alone.
DROP FUNCTION IF EXISTS ctx.guard(regclass, boolean);
CREATE OR REPLACE FUNCTION ctx.guard(which regclass) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known text[] := ARRAY(SELECT polname::text FROM pg_catalog.pg_policy WHERE polrelid = which);
    policy text;
BEGIN
    IF NOT (SELECT relrowsecurity AND relforcerowsecurity FROM pg_catalog.pg_class c
            WHERE c.oid = which) THEN
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', which);
    END IF;
    FOREACH policy IN ARRAY known LOOP
        IF policy NOT IN ('owner', 'read') THEN
            EXECUTE format('DROP POLICY %I ON %s', policy, which);
        END IF;
    END LOOP;
    IF 'owner' <> ALL (known) THEN
        EXECUTE format('CREATE POLICY owner ON %s TO ctx_owner USING (true)', which);
    END IF;
    IF 'read' <> ALL (known) THEN
        EXECUTE format('CREATE POLICY read ON %s FOR SELECT TO ctx_member '
                       'USING (repository IN (SELECT ctx.mine()))', which);
    END IF;
END $$;
SELECT ctx.guard(c.oid) FROM pg_catalog.pg_class c
WHERE c.relnamespace = 'ctx'::regnamespace AND c.relkind IN ('r', 'p')
    AND c.relname NOT IN ('server', 'migrations');

-- Returns the number of a repository, made if need be.
CREATE OR REPLACE FUNCTION ctx.repository(called text) RETURNS int
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
        SELECT 'lz4' INTO compression FROM pg_catalog.pg_settings
        WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals);
        IF compression IS NOT NULL THEN
            EXECUTE format('ALTER TABLE ctx.%I ALTER text SET COMPRESSION lz4, '
                           'ALTER stems SET COMPRESSION lz4', part);
        END IF;
        PERFORM ctx.guard(format('ctx.%I', part)::regclass);
    END IF;
    RETURN found;
END $$;

-- Keeps what holds each word, whoever changes entries, and how. Transition tables have no
-- statistics: without the setting all words of all repositories may be read.
CREATE OR REPLACE FUNCTION ctx.count_entries() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET work_mem = '64MB'
SET enable_seqscan = off AS $$
DECLARE
    live constant text := 'SELECT repository, session, place, tokens, anchors, stems FROM %s '
                          'WHERE gone = '''' ';
    added text := format(live, 'after');
    lost text;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        lost := format(live || 'EXCEPT ALL ' || live, 'before', 'after');
        added := format(live || 'EXCEPT ALL ' || live, 'after', 'before');
        EXECUTE format($q$
            WITH lost AS (
                SELECT repository, word, array_agg(int4send(number) || int4send(place)) AS entries,
                    array_agg(DISTINCT int4send(number)) AS numbers
                FROM (%s) e JOIN ctx.sessions USING (repository, session),
                    unnest(string_to_array(e.stems, ' ')) word GROUP BY 1, 2
            )
            UPDATE ctx.words w SET hits = k.hits FROM (
                SELECT k.repository, k.word, k.block, (
                    SELECT coalesce(string_agg(substr(k.hits, i, 13), ''), '')
                    FROM generate_series(1, length(k.hits), 13) i
                    WHERE substr(k.hits, i, 8) <> ALL (k.entries)) AS hits
                FROM (  -- which decompresses hits once, not for each entry
                    SELECT k.repository, k.word, k.block, l.entries, l.numbers, k.hits || '' AS hits
                    FROM lost l JOIN ctx.words k USING (repository, word) OFFSET 0) k
                WHERE EXISTS (SELECT FROM unnest(k.numbers) n WHERE position(n IN k.hits) > 0)
            ) k WHERE (w.repository, w.word, w.block) = (k.repository, k.word, k.block)$q$, lost);
        DELETE FROM ctx.words
        WHERE hits = '' AND repository = ANY (ARRAY(SELECT DISTINCT repository FROM before));
    END IF;
    -- A statement that adds and changes entries comes here twice: hence two numbers of blocks.
    EXECUTE format($q$
        INSERT INTO ctx.words (repository, block, word, hits)
        SELECT repository, block, word, string_agg(
            entry || substr(int4send(least(times, 65535)::int), 3) || own, '') AS hits
        FROM (
            SELECT repository, int4send(number) || int4send(place) AS entry, stems,
                (-2 * version)::int - $1 AS block,
                substr(int4send(least(tokens, 65535)), 3)
                    || substr(int4send(least(anchors, 255)), 4) AS own
            FROM (%s) e JOIN ctx.sessions USING (repository, session) OFFSET 0) e,
            LATERAL (SELECT word, count(*) AS times
                     FROM unnest(string_to_array(stems COLLATE "C", ' ')) word GROUP BY 1) w
        GROUP BY 1, 2, 3 ORDER BY 1, 3, 2$q$, added) USING (TG_OP = 'UPDATE')::int;
    EXECUTE format($q$
        UPDATE ctx.repositories r SET entries = r.entries + d.n, tokens = r.tokens + d.tokens
        FROM (SELECT repository, sum(n) AS n, sum(n * tokens) AS tokens
              FROM (SELECT repository, tokens, 1 AS n FROM (%s) a
                    UNION ALL SELECT repository, tokens, -1 FROM (%s) b) every GROUP BY 1) d
        WHERE d.repository = r.repository$q$, added, coalesce(lost, added || ' AND false'));
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER added AFTER INSERT ON ctx.entries
    REFERENCING NEW TABLE AS after EXECUTE FUNCTION ctx.count_entries();
CREATE OR REPLACE TRIGGER changed AFTER UPDATE ON ctx.entries
    REFERENCING OLD TABLE AS before NEW TABLE AS after EXECUTE FUNCTION ctx.count_entries();

-- Appends what pushes have added since to the blocks from 0 on.
CREATE OR REPLACE FUNCTION ctx.settle(number int) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    WITH fresh AS (
        DELETE FROM ctx.words WHERE repository = number AND block < 0 RETURNING word, hits
    )
    INSERT INTO ctx.words AS w (repository, block, word, hits)
    SELECT number, coalesce((
        SELECT block + (length(k.hits) > 6000)::int FROM ctx.words k
        WHERE k.repository = number AND k.word = n.word AND block >= 0
        ORDER BY block DESC LIMIT 1), 0), word, hits
    FROM (SELECT word, string_agg(hits, '') AS hits FROM fresh GROUP BY 1 ORDER BY 1) n
    ON CONFLICT (repository, word, block) DO UPDATE SET hits = w.hits || excluded.hits
$$;

-- Keeps how many sessions hold each word before stemming.
CREATE OR REPLACE FUNCTION ctx.count_forms() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    changes text := 'SELECT repository, unnest(forms) AS word, 1 AS n FROM after';
BEGIN
    IF TG_OP = 'UPDATE' THEN
        changes := changes || ' UNION ALL SELECT repository, unnest(forms), -1 FROM before';
    END IF;
    EXECUTE format($q$
        INSERT INTO ctx.forms AS f (repository, word, held)
        SELECT repository, word, sum(n) FROM (%s) d GROUP BY 1, 2 HAVING sum(n) <> 0 ORDER BY 1, 2
        ON CONFLICT (repository, word) DO UPDATE SET held = f.held + excluded.held$q$, changes);
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM ctx.forms WHERE held <= 0
            AND repository = ANY (ARRAY(SELECT DISTINCT repository FROM before));
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER added AFTER INSERT ON ctx.sessions
    REFERENCING NEW TABLE AS after EXECUTE FUNCTION ctx.count_forms();
CREATE OR REPLACE TRIGGER changed AFTER UPDATE ON ctx.sessions
    REFERENCING OLD TABLE AS before NEW TABLE AS after EXECUTE FUNCTION ctx.count_forms();

-- Begins a push: nobody else changes the repository until it ends.
CREATE OR REPLACE FUNCTION ctx.begin(called text, OUT number int, OUT change bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE ctx.repositories SET version = version + 1
    WHERE name = called AND repository IN (SELECT ctx.mine(true))
    RETURNING repository, version INTO number, change;
    IF change % 32 = 0 THEN
        PERFORM ctx.settle(number);
    END IF;
END $$;

-- Makes sessions what they are where they come from: all that is there of them otherwise is
-- replaced. Returns nulls where this role may not write. Who wrote it is who logged in: a session of
-- turns is its author's alone, and begins with that name; what another wrote of a decision stays in
-- `history`. The same text in the same place stays as it is, whoever sends it again.
CREATE OR REPLACE FUNCTION ctx.push(
    called text, model text, sent json, OUT added bigint, OUT gone bigint, OUT refused text[])
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    me constant text := session_user;
    here int;
    now_at bigint;
    denied text;
    names text[];
    kept uuid[];
    incoming ctx.arriving[];
    vectors constant boolean := model <> ''
        AND EXISTS (SELECT FROM ctx.migrations WHERE number = 2);
    again bigint := 0;
BEGIN
    SELECT b.number, b.change INTO here, now_at FROM ctx.begin(called) b;
    IF here IS NULL THEN
        RETURN;
    END IF;
    SELECT a.session INTO denied
    FROM json_to_recordset(sent) AS a(session text, kind text, rows json)
    LEFT JOIN ctx.sessions s ON s.repository = here AND s.session = a.session
    WHERE (s.kind = 'turn' AND s.author <> me) OR json_array_length(a.rows) > 0 AND (
        a.kind NOT IN ('turn', 'decision', 'learning')
        OR (a.kind = 'turn') <> coalesce(s.kind = 'turn', a.kind = 'turn')
        OR NOT CASE WHEN a.kind = 'turn' THEN starts_with(a.session, me || '/')
                    ELSE strpos(a.session, '#') > 0 END);
    IF denied IS NOT NULL THEN
        RAISE wrong_object_type USING MESSAGE = format('%s: is not yours to write', denied);
    END IF;
    names := ARRAY(SELECT a.session FROM json_to_recordset(sent) AS a(session text));
    refused := ARRAY(SELECT s.session FROM ctx.sessions s
                     WHERE s.repository = here AND s.session = ANY (names) AND s.forgotten);
    names := ARRAY(SELECT n FROM unnest(names) n WHERE n <> ALL (refused));
    incoming := ARRAY(
        SELECT ROW(a.session, a.kind, r.place - 1, encode(substr(sha256(convert_to(
                json_build_array(a.session, r.place, r.title, r.text)::text, 'UTF8')), 1, 16),
            'hex')::uuid, r.day, r.anchor, CASE a.kind WHEN 'turn' THEN r.speaker ELSE '' END,
            r.title, r.text, r.stems, r.anchors, r.vector)::ctx.arriving
        FROM json_to_recordset(sent) AS a(session text, kind text, rows json),
            ROWS FROM (json_to_recordset(a.rows) AS (
                day text, anchor text, speaker text, title text, text text, stems text,
                anchors smallint, vector text)
            ) WITH ORDINALITY AS r(
                day, anchor, speaker, title, text, stems, anchors, vector, place)
        WHERE a.session <> ALL (refused));

    -- First the sessions: what holds a word is noted by their numbers.
    WITH arriving AS (
        SELECT a.session, a.kind, a.forms, a.steps, json_array_length(a.rows) AS entries,
            CASE a.kind WHEN 'turn' THEN a.speakers ELSE '{}' END AS speakers
        FROM json_to_recordset(sent) AS a(
            session text, kind text, speakers text[], forms text[], steps int[], rows json)
        WHERE a.session <> ALL (refused)
    ), known AS (
        UPDATE ctx.sessions s SET version = now_at, entries = a.entries, speakers = a.speakers,
            forms = a.forms, steps = a.steps,
            kind = CASE WHEN a.entries > 0 THEN a.kind ELSE s.kind END
        FROM arriving a WHERE s.repository = here AND s.session = a.session RETURNING s.session
    )
    INSERT INTO ctx.sessions (
        repository, session, kind, author, version, entries, speakers, forms, steps)
    SELECT here, session, kind, me, now_at, entries, speakers, forms, steps
    FROM arriving WHERE entries > 0 AND session NOT IN (SELECT session FROM known);

    kept := ARRAY(
        SELECT e.id FROM unnest(incoming) i JOIN ctx.entries e ON e.repository = here
            AND e.session = i.session AND e.place = i.place AND e.gone = ''
            AND e.title = i.title AND e.text = i.text);
    INSERT INTO ctx.history (repository, session, kind, day, author, title, text, ended_by)
    SELECT here, e.session, e.kind, e.day, e.author, e.title, e.text, me FROM ctx.entries e
    WHERE e.repository = here AND e.session = ANY (names) AND e.gone = '' AND e.kind <> 'turn'
        AND e.id NOT IN (SELECT unnest(kept)) ORDER BY e.session, e.place;
    UPDATE ctx.entries e SET gone = 'replaced', title = '', text = '', stems = '', tokens = 0,
        embedder = '', version = now_at
    WHERE e.repository = here AND e.session = ANY (names) AND e.gone = ''
        AND e.id NOT IN (SELECT unnest(kept));
    GET DIAGNOSTICS gone = ROW_COUNT;

    IF vectors AND cardinality(kept) > 0 THEN  -- those of another are for another to change
        EXECUTE $q$
            UPDATE ctx.entries e SET embedder = $1, embedding = i.vector::@vector@.halfvec,
                version = $2
            FROM unnest($3) i WHERE e.repository = $4 AND e.session = i.session
                AND e.place = i.place AND e.gone = '' AND e.embedder <> $1
                AND (e.author = $5 OR e.embedder = '')$q$
        USING model, now_at, incoming, here, me;
        GET DIAGNOSTICS again = ROW_COUNT;
    END IF;
    EXECUTE format($q$
        INSERT INTO ctx.entries AS e (repository, kind, day, session, place, id, author, anchor,
            speaker, title, text, stems, tokens, anchors, version, embedder%s)
        SELECT $1, kind, day, session, place, id, $2, anchor, speaker, title, text, stems,
            cardinality(string_to_array(stems, ' ')) - (title <> '')::int, anchors, $3, $4%s
        FROM unnest($5) i WHERE (session, place) NOT IN (
            SELECT session, place FROM ctx.entries
            WHERE repository = $1 AND session = ANY ($6) AND gone = '')
        ORDER BY session, place
        ON CONFLICT (repository, id) DO UPDATE SET gone = '', kind = excluded.kind,
            day = excluded.day, author = excluded.author, anchor = excluded.anchor,
            speaker = excluded.speaker, title = excluded.title, text = excluded.text,
            stems = excluded.stems, tokens = excluded.tokens, anchors = excluded.anchors,
            version = excluded.version, embedder = excluded.embedder%s
        WHERE e.gone = 'replaced'$q$, CASE WHEN vectors THEN ', embedding' END,
        CASE WHEN vectors THEN ', vector::@vector@.halfvec' END,
        CASE WHEN vectors THEN ', embedding = excluded.embedding' END)
    USING here, me, now_at, CASE WHEN vectors THEN model ELSE '' END, incoming, names;
    GET DIAGNOSTICS added = ROW_COUNT;
    added := added + again;
    PERFORM ctx.recount(here, names, now_at);
END $$;

-- Counts the entries of sessions again where some are gone for good, and so were not taken.
CREATE OR REPLACE FUNCTION ctx.recount(here int, names text[], change bigint) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    UPDATE ctx.sessions s SET entries = n.live, version = change FROM (
        SELECT k.session, count(e.id)::int AS live FROM ctx.sessions k
        LEFT JOIN ctx.entries e ON e.repository = here AND e.session = k.session AND e.gone = ''
        WHERE k.repository = here AND k.session = ANY (names) GROUP BY 1) n
    WHERE s.repository = here AND s.session = n.session AND s.entries <> n.live
$$;

-- Erases sessions, or all of authors, which are not taken again. An administrator erases all of it,
-- anybody else what he wrote himself. Returns nulls where this role may not write.
CREATE OR REPLACE FUNCTION ctx.forget(
    called text, by_author boolean, given text[], OUT erased bigint, OUT sessions bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
    me constant text := session_user;
    every constant boolean := pg_has_role(session_user, 'ctx_owner', 'MEMBER');
    here int;
    now_at bigint;
    touched text[];
BEGIN
    SELECT b.number, b.change INTO here, now_at FROM ctx.begin(called) b;
    IF here IS NULL THEN
        RETURN;
    END IF;
    DELETE FROM ctx.history WHERE repository = here AND (every OR author = me)
        AND CASE WHEN by_author THEN author ELSE session END = ANY (given);
    WITH gone AS (
        UPDATE ctx.entries SET gone = 'forgotten', title = '', text = '', stems = '', tokens = 0,
            speaker = '', anchor = '', version = now_at
        WHERE repository = here AND gone <> 'forgotten' AND (every OR author = me)
            AND CASE WHEN by_author THEN author ELSE session END = ANY (given)
        RETURNING session
    )
    SELECT count(*), array_agg(DISTINCT session) INTO erased, touched FROM gone;
    PERFORM ctx.recount(here, touched, now_at);
    -- What holds something of another, or held it, is not closed to the other.
    UPDATE ctx.sessions s SET entries = 0, speakers = '{}', forms = '{}', steps = '{}',
        forgotten = true, version = now_at
    WHERE repository = here AND (every OR author = me)
        AND CASE WHEN by_author THEN author ELSE session END = ANY (given)
        AND NOT EXISTS (SELECT FROM ctx.entries e WHERE e.repository = here
            AND e.session = s.session AND (e.gone = '' OR e.author <> me AND NOT every));
    GET DIAGNOSTICS sessions = ROW_COUNT;
END $$;

-- What a search asks, in this order. Functions, since a policy is tested once for each repository
-- there, not for each row; the repositories that they look at are those of the session's user,
-- whatever they are asked for. Plans are made once for all questions: planning takes longer than
-- looking.

CREATE OR REPLACE FUNCTION ctx.visible(names text[])
RETURNS TABLE (repository int, name text, version bigint, entries bigint, tokens bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
    sees_all boolean := pg_has_role(session_user, 'ctx_owner', 'MEMBER');
    roles text[] := ARRAY(
        SELECT rolname::text FROM pg_catalog.pg_roles WHERE pg_has_role(session_user, oid, 'MEMBER'));
BEGIN
    names := coalesce(names, ARRAY(SELECT name FROM ctx.repositories));
    RETURN QUERY
    SELECT r.repository, r.name, r.version, r.entries, r.tokens FROM ctx.repositories r
    WHERE r.name = ANY (names) AND (sees_all OR EXISTS (
        SELECT FROM ctx.grants g WHERE g.who = ANY (roles) AND g.repository = r.repository))
    ORDER BY r.name;
END $$;

-- Of the entries that are best by BM25, what holds the words `rest`, as hits: nothing without an
-- index of pg_textsearch, for which another of this name takes its place.
CREATE OR REPLACE FUNCTION ctx.best(number int, words text[], rest text[])
RETURNS TABLE (word text, hits bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN;
END $$;

-- How many entries hold each word, and which, as hits. Of words that more than `most` entries of a
-- repository hold together only the rarest have hits, and where few are asked those that BM25
-- gives: each repository costs a look at its index.
CREATE OR REPLACE FUNCTION ctx.holders(names text[], words text[], most int)
RETURNS TABLE (name text, word text, held int, hits bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH every AS MATERIALIZED (
        SELECT c.repository, c.name, c.word, c.held::int, CASE WHEN c.together <= most OR c.at = 1
        THEN (
            SELECT string_agg(k.hits, '') FROM ctx.words k
            WHERE k.repository = c.repository AND k.word = c.word) END AS hits
        FROM (
            SELECT r.repository, r.name, w.word, sum(length(w.hits) / 13) AS held,
                sum(sum(length(w.hits) / 13)) OVER rarest AS together, row_number() OVER rarest AS at
            FROM ctx.visible(names) r JOIN ctx.words w ON w.repository = r.repository
                AND w.word = ANY (words)
            GROUP BY 1, 2, 3
            WINDOW rarest AS (PARTITION BY r.repository ORDER BY sum(length(w.hits)), w.word)
        ) c
    )
    SELECT e.name, e.word, e.held, coalesce(e.hits, b.hits) FROM every e LEFT JOIN (
        SELECT d.repository, b.word, b.hits FROM (
            SELECT repository, array_agg(word) AS rest FROM every
            WHERE hits IS NULL AND cardinality(names) <= 5 GROUP BY 1) d,
            LATERAL ctx.best(d.repository, words, d.rest) b
    ) b USING (repository, word);
END $$;

-- What words begin so, stemmed and before.
CREATE OR REPLACE FUNCTION ctx.begun(names text[], beginnings text[], most int)
RETURNS TABLE (name text, word text)
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    SELECT DISTINCT r.name, k.word
    FROM ctx.visible(names) r, unnest(beginnings) b, LATERAL (
        (SELECT w.word FROM ctx.words w WHERE w.repository = r.repository
            AND w.word >= b AND w.word < b || U&'\+10FFFF' LIMIT most)
        UNION ALL
        (SELECT f.word FROM ctx.forms f WHERE f.repository = r.repository
            AND f.word >= b AND f.word < b || U&'\+10FFFF' LIMIT most)) k;
END $$;

-- How often a session's entries at these places hold words that follow each other.
CREATE OR REPLACE FUNCTION ctx.phrase(called text, phrase text, sessions text[], places int[])
RETURNS TABLE (session text, place int, times int, tokens int, anchors smallint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT * FROM ctx.visible(ARRAY[called]) LOOP
        RETURN QUERY EXECUTE format(
            'SELECT e.session, e.place, (length(s) - length(replace(s, $3, ''''))) / length($3), '
            'e.tokens, e.anchors FROM unnest($1, $2) u(session, place) JOIN ctx.%I e '
            'ON e.session = u.session AND e.place = u.place AND e.gone = '''', '
            'LATERAL (SELECT '' '' || e.stems || '' '' AS s) t WHERE strpos(s, $3) > 0',
            'entries_' || r.repository) USING sessions, places, ' ' || phrase || ' ';
    END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ctx.parts(names text[])
RETURNS TABLE (name text, number int, session text, kind text, entries int, speakers text[],
               steps int[])
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.name, s.number, s.session, s.kind, s.entries, s.speakers, s.steps
    FROM ctx.visible(names) r JOIN ctx.sessions s USING (repository)
    WHERE s.entries > 0 ORDER BY r.name, s.session
$$;

-- The sessions that have changed since, those that changed last at the end.
CREATE OR REPLACE FUNCTION ctx.changed(called text, since bigint)
RETURNS TABLE (session text, kind text, version bigint, entries int)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT s.session, s.kind, s.version, s.entries FROM ctx.visible(ARRAY[called]) r
    JOIN ctx.sessions s USING (repository) WHERE s.version > since ORDER BY 3, 1
$$;

-- The entries in spans of sessions; their texts only where they are wanted whole.
CREATE OR REPLACE FUNCTION ctx.spans(
    called text, sessions text[], firsts int[], lasts int[], whole boolean)
RETURNS TABLE (session text, place int, day text, anchors smallint, anchor text, speaker text,
               marks text, size int, author text, title text, text text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
            'ON e.session = u.session AND e.place BETWEEN u.first AND u.last AND e.gone = ''''',
            U&'\E000', U&'\E000', 'entries_' || r.repository)
        USING sessions, firsts, lasts, whole;
    END LOOP;
END $$;

-- Who may do what in the repositories that a role sees.
CREATE OR REPLACE FUNCTION ctx.granted()
RETURNS TABLE (name text, who text, writes boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT r.name, g.who, g.writes FROM ctx.visible(NULL) r JOIN ctx.grants g USING (repository)
    ORDER BY 1, 2
$$;

-- What was in the place of today's decisions and the like, and who ended it.
CREATE OR REPLACE FUNCTION ctx.former(called text)
RETURNS TABLE (session text, kind text, day text, author text, title text, text text,
               ended_by text, ended timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT h.session, h.kind, h.day, h.author, h.title, h.text, h.ended_by, h.ended
    FROM ctx.visible(ARRAY[called]) r JOIN ctx.history h USING (repository)
    ORDER BY h.session, h.number
$$;

ALTER DEFAULT PRIVILEGES REVOKE ALL ON FUNCTIONS FROM PUBLIC;
REVOKE ALL ON SCHEMA ctx FROM PUBLIC, ctx_member;
REVOKE ALL ON ALL TABLES IN SCHEMA ctx FROM PUBLIC, ctx_member;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA ctx FROM PUBLIC, ctx_member;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA ctx FROM PUBLIC, ctx_member;
GRANT USAGE ON SCHEMA ctx TO ctx_member;
GRANT SELECT ON ctx.server, ctx.migrations TO ctx_member;
GRANT EXECUTE ON FUNCTION ctx.mine, ctx.push, ctx.forget, ctx.visible, ctx.holders, ctx.begun,
    ctx.phrase, ctx.parts, ctx.changed, ctx.spans, ctx.granted, ctx.former TO ctx_member;

-- part always vector
-- Cosines of entries and a vector: of all entries where there are up to `most`, else of the nearest
-- by an index, which `ctx share init` makes.
CREATE OR REPLACE FUNCTION ctx.near(called text, model text, asked text, most int, nearest int)
RETURNS TABLE (session text, places int[], cosines float8[])
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
    FOR number IN SELECT repository FROM ctx.repositories WHERE entries > @exact@ LOOP
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

-- part always pg_textsearch
-- As above. `stems` are stemmed already; what an index of this name ranks is one repository's, so
-- rarities count nothing that a policy hides. Entries that hold no word come last and give no hits.
-- The planner looks for a function of the extension by the search path.
CREATE OR REPLACE FUNCTION ctx.best(number int, words text[], rest text[])
RETURNS TABLE (word text, hits bytea)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, @pg_textsearch@, pg_temp AS $$
BEGIN
    IF to_regclass('ctx.bm25_' || number) IS NULL THEN
        RETURN;
    END IF;
    RETURN QUERY EXECUTE format($q$
        SELECT word, string_agg(entry || substr(int4send(least(
            (length(spaced) - length(replace(spaced, own, ''))) / length(own), 65535)), 3) || rest, '')
        FROM (
            SELECT int4send(s.number) || int4send(b.place) AS entry, b.spaced,
                substr(int4send(least(b.tokens, 65535)), 3)
                    || substr(int4send(least(b.anchors, 255)), 4) AS rest
            FROM (
                SELECT session, place, tokens, anchors,
                    ' ' || replace(stems, ' ', '  ') || ' ' AS spaced
                FROM ctx.entries_%1$s WHERE gone = ''
                ORDER BY stems OPERATOR(@pg_textsearch@.<@>)
                    @pg_textsearch@.to_bm25query($1, 'ctx.bm25_%1$s') LIMIT 1000
            ) b JOIN ctx.sessions s USING (session) WHERE s.repository = %1$s OFFSET 0
        ) e JOIN (SELECT word, ' ' || word || ' ' AS own FROM unnest($2) word OFFSET 0) w
            ON strpos(spaced, own) > 0
        GROUP BY 1$q$, number) USING array_to_string(words, ' '), rest;
END $$;
-- A repository in which words can have too many hits gets an index.
DO $$
DECLARE
    number int;
BEGIN
    FOR number IN SELECT repository FROM ctx.repositories WHERE entries > @indexed@ LOOP
        EXECUTE format('CREATE INDEX IF NOT EXISTS bm25_%s ON ctx.entries_%s USING bm25 (stems) '
                       'WITH (text_config = ''pg_catalog.simple'') WHERE gone = ''''',
                       number, number);
    END LOOP;
END $$;
