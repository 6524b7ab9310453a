-- +goose Up

-- A row of tables that moves neither its page nor what it is found by needs no new entries in indexes (heap-only tuples), and most moves
-- are such: whose turn it is is found by the few tables at which a user sits, and what falls due by steps of five minutes of the moment.
-- Programs of the version before find both as they did, only without an index.

DROP INDEX IF EXISTS tables_turn;
DROP INDEX IF EXISTS tables_due;
ALTER TABLE tables ADD COLUMN IF NOT EXISTS due_step bigint GENERATED ALWAYS AS (due_next / 300000) STORED;
CREATE INDEX IF NOT EXISTS tables_due_step ON tables (due_step) WHERE due_step IS NOT NULL;
