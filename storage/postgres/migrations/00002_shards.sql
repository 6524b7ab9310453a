-- +goose Up

-- Which process serves which shard of the bot's servers. Moments are microseconds since 1970 by the server's clock.

CREATE TABLE shards (
    shard    integer PRIMARY KEY,
    in_force boolean NOT NULL,              -- false for one that there was when the servers were divided into more
    term     bigint  NOT NULL,
    owner    text COLLATE "C" NOT NULL,     -- '' for none
    until    bigint  NOT NULL,
    heir     text COLLATE "C" NOT NULL,     -- '' for none
    ready    boolean NOT NULL               -- the heir is
);

CREATE TABLE members (
    process text COLLATE "C" PRIMARY KEY,
    joined  bigint GENERATED ALWAYS AS IDENTITY,
    until   bigint NOT NULL
);

-- When a group of shards took its last turn to identify.
CREATE TABLE turns (
    shard_group integer PRIMARY KEY,
    taken       bigint NOT NULL
);

-- What a process has seen first, lately.
CREATE TABLE seen (
    key  bytea PRIMARY KEY,
    at   bigint NOT NULL,
    mark text   NOT NULL -- of the asking, whose outcome may have to be asked for again
);
CREATE INDEX seen_at ON seen (at);
