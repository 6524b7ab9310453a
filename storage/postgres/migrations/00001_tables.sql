-- +goose Up

-- Ids of the outside compare byte by byte, hence COLLATE "C". Moments are milliseconds since 1970. Columns named value, head and note
-- hold what package storage/encode writes, with its checksum.

CREATE SEQUENCE table_ids AS bigint;

-- A row is written anew with every move, so it has no more indexes than moves change.
CREATE TABLE tables (
    id         bigint PRIMARY KEY,
    version    bigint  NOT NULL,
    events     bigint  NOT NULL,           -- how many
    head       bytea   NOT NULL,
    listing    bigint  NOT NULL,           -- digest of what the table's rows in listings and seats are made from
    slot       integer NOT NULL,           -- quarter of an hour up to which old keys of commands were looked for
    turn_user  text COLLATE "C",           -- for whose move the table waits
    turn_since bigint,
    due_next   bigint,                     -- the earliest of the head's moments
    published  bigint  NOT NULL DEFAULT 0, -- version
    note       bytea,
    pending    boolean NOT NULL            -- published < version
) WITH (fillfactor = 70);
CREATE INDEX tables_turn ON tables (turn_user, turn_since, id) WHERE turn_user IS NOT NULL;
CREATE INDEX tables_due ON tables (due_next, id) WHERE due_next IS NOT NULL;
CREATE INDEX tables_pending ON tables (id) WHERE pending;

-- What tables are found and counted by, and moves do not change.
CREATE TABLE listings (
    id      bigint PRIMARY KEY,
    guild   text COLLATE "C" NOT NULL,
    channel text COLLATE "C" NOT NULL,
    game    text COLLATE "C" NOT NULL,
    status  smallint NOT NULL,
    over    boolean  NOT NULL,
    paused  boolean  NOT NULL,
    rematch bigint   NOT NULL -- of which table; 0 for none
);
CREATE INDEX listings_guild ON listings (guild, over, id);
CREATE INDEX listings_channel ON listings (channel, over, id);
CREATE INDEX listings_rematch ON listings (rematch, id) WHERE rematch <> 0 AND NOT over;

CREATE TABLE seats (
    user_id  text COLLATE "C" NOT NULL,
    over     boolean NOT NULL,
    table_id bigint  NOT NULL,
    PRIMARY KEY (user_id, over, table_id)
);
CREATE INDEX seats_table ON seats (table_id);

CREATE TABLE details (
    table_id bigint PRIMARY KEY,
    value    bytea NOT NULL
);

CREATE TABLE events (
    table_id bigint  NOT NULL,
    version  bigint  NOT NULL, -- that brought it
    number   integer NOT NULL, -- from 0 at each table
    value    bytea   NOT NULL,
    PRIMARY KEY (table_id, version, number)
);

-- Keys of commands that were done lately; those that opened a table are at table 0.
CREATE TABLE commands (
    table_id bigint  NOT NULL,
    key      bytea   NOT NULL,
    slot     integer NOT NULL, -- quarter of an hour
    led_to   bigint  NOT NULL, -- table
    version  bigint  NOT NULL, -- of it
    PRIMARY KEY (table_id, key, slot)
);
CREATE INDEX commands_opening ON commands (slot) WHERE table_id = 0;

CREATE TABLE reviews (
    table_id bigint PRIMARY KEY,
    value    bytea NOT NULL
);

CREATE TABLE films (
    table_id bigint PRIMARY KEY,
    tries    integer NOT NULL
);

CREATE SEQUENCE result_orders AS bigint;

CREATE TABLE results (
    table_id  bigint PRIMARY KEY,
    guild     text COLLATE "C" NOT NULL,
    game      text COLLATE "C" NOT NULL,
    ended     bigint  NOT NULL,
    abandoned boolean NOT NULL,
    plays     bigint  NOT NULL,
    ord       bigint  NOT NULL, -- results are rated in this order
    value     bytea   NOT NULL
);
CREATE UNIQUE INDEX results_order ON results (guild, ord);
CREATE INDEX results_guild ON results (guild, ended DESC, table_id);
CREATE INDEX results_game ON results (guild, game, ended DESC, table_id);
CREATE INDEX results_long ON results (guild, plays DESC, table_id) WHERE NOT abandoned;

CREATE TABLE result_users (
    user_id  text COLLATE "C" NOT NULL,
    ended    bigint NOT NULL,
    table_id bigint NOT NULL,
    PRIMARY KEY (table_id, user_id)
);
CREATE INDEX result_users_latest ON result_users (user_id, ended DESC, table_id);

-- A server's leaderboards, and the ratings after each of its results, are there in up to two generations: the live one, and the one that
-- is being counted anew.
CREATE TABLE generations (
    guild text COLLATE "C" PRIMARY KEY,
    live  smallint NOT NULL
);

CREATE TABLE standings (
    guild      text COLLATE "C" NOT NULL,
    generation smallint NOT NULL,
    game       text COLLATE "C" NOT NULL, -- '' for all games
    computers  boolean  NOT NULL,
    season     integer  NOT NULL,         -- 0 for all time
    player     text COLLATE "C" NOT NULL,
    sure       bigint   NOT NULL,         -- how sure it is that they are strong, in millionths
    games      bigint   NOT NULL,
    value      bytea    NOT NULL,
    PRIMARY KEY (guild, generation, game, computers, season, player)
);
CREATE INDEX standings_rank ON standings (guild, generation, game, computers, season, sure DESC, games, player);

CREATE TABLE ratings (
    guild      text COLLATE "C" NOT NULL,
    generation smallint NOT NULL,
    ord        bigint   NOT NULL, -- of the result
    value      bytea    NOT NULL,
    PRIMARY KEY (guild, generation, ord)
);

CREATE TABLE leagues (
    guild text COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL
);

CREATE TABLE guild_settings (
    guild text COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL
);

CREATE TABLE user_settings (
    user_id text COLLATE "C" PRIMARY KEY,
    value   bytea NOT NULL
);

-- What the bot notes about itself.
CREATE TABLE notes (
    name  text COLLATE "C" PRIMARY KEY,
    value bytea NOT NULL
);

CREATE SEQUENCE job_ids AS bigint;

-- Work in proportion to what is stored, done in steps.
CREATE TABLE jobs (
    kind  text COLLATE "C" NOT NULL,
    of    text COLLATE "C" NOT NULL, -- server or user
    id    bigint NOT NULL,           -- of the latest request
    value bytea  NOT NULL,           -- how far it is
    PRIMARY KEY (kind, of)
);

-- list_table makes a table's rows in listings and seats anew.
-- +goose StatementBegin
CREATE FUNCTION list_table(
    p_id bigint, p_guild text, p_channel text, p_game text, p_status smallint, p_over boolean, p_paused boolean, p_rematch bigint, p_users text[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO listings AS l (id, guild, channel, game, status, over, paused, rematch)
        VALUES (p_id, p_guild, p_channel, p_game, p_status, p_over, p_paused, p_rematch)
        ON CONFLICT (id) DO UPDATE SET guild = p_guild, channel = p_channel, game = p_game, status = p_status, over = p_over, paused = p_paused,
            rematch = p_rematch;
    DELETE FROM seats WHERE table_id = p_id AND (over <> p_over OR user_id <> ALL (p_users));
    INSERT INTO seats (user_id, over, table_id) SELECT u, p_over, p_id FROM unnest(p_users) AS u ON CONFLICT DO NOTHING;
END $$;
-- +goose StatementEnd

-- commit_change stores what a command changed at a table that exists. It returns 0 when it did, and has changed nothing otherwise:
-- 1 for a key that was done before, 2 for no such table, 3 for another version, 4 for another number of events.
-- +goose StatementBegin
CREATE FUNCTION commit_change(
    p_id bigint, p_version bigint, p_events bigint, p_head bytea, p_turn_user text, p_turn_since bigint, p_due_next bigint,
    p_added bytea[], p_detail bytea, p_key bytea, p_slot integer, p_oldest integer,
    p_listing bigint, p_guild text, p_channel text, p_game text, p_status smallint, p_over boolean, p_paused boolean, p_rematch bigint, p_users text[]
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    had record;
BEGIN
    SELECT t.version, t.events, t.listing, t.slot INTO had FROM tables t WHERE t.id = p_id FOR NO KEY UPDATE;
    IF p_key IS NOT NULL AND EXISTS (
        SELECT FROM commands c WHERE c.table_id = p_id AND c.key = p_key AND c.slot BETWEEN p_oldest AND p_slot
    ) THEN
        RETURN 1;
    ELSIF had.version IS NULL THEN
        RETURN 2;
    ELSIF had.version + 1 <> p_version THEN
        RETURN 3;
    ELSIF had.events + cardinality(p_added) <> p_events THEN
        RETURN 4;
    END IF;
    UPDATE tables t SET version = p_version, events = p_events, head = p_head, listing = p_listing, pending = true,
            turn_user = p_turn_user, turn_since = p_turn_since, due_next = p_due_next,
            slot = CASE WHEN p_key IS NULL THEN t.slot ELSE greatest(t.slot, p_slot) END
        WHERE t.id = p_id;
    IF cardinality(p_added) > 0 THEN
        INSERT INTO events (table_id, version, number, value)
            SELECT p_id, p_version, had.events + e.n - 1, e.value FROM unnest(p_added) WITH ORDINALITY AS e (value, n);
    END IF;
    IF p_key IS NOT NULL THEN
        INSERT INTO commands (table_id, key, slot, led_to, version) VALUES (p_id, p_key, p_slot, p_id, p_version);
        IF had.slot < p_slot THEN
            DELETE FROM commands c WHERE c.table_id = p_id AND c.slot < p_oldest;
        END IF;
    END IF;
    IF p_detail IS NOT NULL THEN
        UPDATE details d SET value = p_detail WHERE d.table_id = p_id;
    END IF;
    IF had.listing <> p_listing THEN
        PERFORM list_table(p_id, p_guild, p_channel, p_game, p_status, p_over, p_paused, p_rematch, p_users);
    END IF;
    RETURN 0;
END $$;
-- +goose StatementEnd
