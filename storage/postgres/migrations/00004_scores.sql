-- +goose Up

-- Who solved how many puzzles of the day on a server in a month, as users' settings say (storage.ScoresIn). A trigger keeps it, so that it
-- stays right while a program of the version before works beside this one.

CREATE TABLE scores (
    guild   text COLLATE "C" NOT NULL,
    month   text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    solved  integer NOT NULL,
    first   integer NOT NULL, -- of them those in which they never missed
    PRIMARY KEY (user_id, guild, month)
);
CREATE INDEX scores_rank ON scores (guild, month, solved DESC, first DESC, user_id);

-- scores_in is what a value of user_settings says. Before its JSON are a checksum, of five bytes, and a format. What cannot be read says nothing.
-- +goose StatementBegin
CREATE FUNCTION scores_in(p_value bytea) RETURNS TABLE (o_guild text, o_month text, o_solved integer, o_first integer) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY SELECT DISTINCT ON (s.guild, s.month) s.guild, s.month, s.solved::integer, s.first::integer
        FROM (SELECT e.v ->> 'server' AS guild, e.v ->> 'month' AS month, (e.v ->> 'solved')::bigint AS solved,
                coalesce((e.v ->> 'first')::bigint, 0) AS first, e.n
            FROM json_array_elements(convert_from(substr(p_value, 7), 'UTF8')::json #> '{puzzles,months}') WITH ORDINALITY AS e (v, n)) AS s
        WHERE octet_length(s.guild) BETWEEN 1 AND 64 AND octet_length(s.month) BETWEEN 1 AND 64 AND s.solved BETWEEN 1 AND 2147483647
                AND s.first BETWEEN 0 AND s.solved
        ORDER BY s.guild, s.month, s.n;
EXCEPTION WHEN OTHERS THEN
    RETURN;
END $$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION keep_scores() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM scores WHERE user_id = OLD.user_id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO scores (guild, month, user_id, solved, first)
            SELECT o_guild, o_month, NEW.user_id, o_solved, o_first FROM scores_in(NEW.value);
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER user_settings_scores AFTER INSERT OR UPDATE OR DELETE ON user_settings FOR EACH ROW EXECUTE FUNCTION keep_scores();

-- Nobody writes settings while those that there are are entered.
LOCK TABLE user_settings IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO scores (guild, month, user_id, solved, first)
    SELECT o_guild, o_month, u.user_id, o_solved, o_first FROM user_settings u CROSS JOIN LATERAL scores_in(u.value);
