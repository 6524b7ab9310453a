-- +goose Up

-- Plans are made once for a connection, perhaps while a table is small enough to be read as a whole, and it grows.
ALTER FUNCTION commit_change SET enable_seqscan TO off;
ALTER FUNCTION list_table SET enable_seqscan TO off;
