-- +goose Up

-- holds_shard reports whether a process owns the lease of a shard in a term; of no process it asks nothing. One that has run out and that nobody
-- has claimed since is still its own. The row is looked at, not locked: a claim that comes between this and the commit meets the version of the table.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION holds_shard(p_process text, p_shard integer, p_term bigint) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN p_process = '' OR EXISTS (SELECT FROM shards s WHERE s.shard = p_shard AND s.in_force AND s.owner = p_process AND s.term = p_term);
END $$;
-- +goose StatementEnd

-- commit_change stores what a command changed at a table that exists. It returns 0 when it did, and has changed nothing otherwise:
-- 1 for a key that was done before, 2 for no such table, 3 for another version, 4 for another number of events, 5 for a lease that is not the
-- process's in this term. The function of the same name that has no lease is that of the version before.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION commit_change(
    p_id bigint, p_version bigint, p_events bigint, p_head bytea, p_turn_user text, p_turn_since bigint, p_due_next bigint,
    p_added bytea[], p_detail bytea, p_key bytea, p_slot integer, p_oldest integer,
    p_listing bigint, p_guild text, p_channel text, p_game text, p_status smallint, p_over boolean, p_paused boolean, p_rematch bigint, p_users text[],
    p_process text, p_shard integer, p_term bigint
) RETURNS integer LANGUAGE plpgsql SET enable_seqscan TO off AS $$
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
    ELSIF p_process <> '' AND NOT holds_shard(p_process, p_shard, p_term) THEN
        RETURN 5;
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
