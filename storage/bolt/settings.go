package bolt

import (
	"bytes"
	"context"
	"errors"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// GuildSettings reads a server's settings into v, a pointer to a struct with JSON tags. What was never set stays as it is in v.
func (s *choices) GuildSettings(ctx context.Context, guild string, v any) error {
	return s.settings(ctx, guildPreference, guild, v)
}

// ChangeGuildSettings stores what edit makes of a server's settings, as storage.Engine says.
func (s *choices) ChangeGuildSettings(ctx context.Context, guild string, edit storage.Edit) error {
	return s.changeSettings(ctx, guildPreference, guild, edit)
}

// UserSettings reads a user's settings into v, as GuildSettings does.
func (s *choices) UserSettings(ctx context.Context, user string, v any) error {
	return s.settings(ctx, userPreference, user, v)
}

// ChangeUserSettings stores what edit makes of a user's settings, as storage.Engine says.
func (s *choices) ChangeUserSettings(ctx context.Context, user string, edit storage.Edit) error {
	return s.changeSettings(ctx, userPreference, user, edit)
}

// UsersNaming lists the users whose settings contain an id, in the order of their ids as text. It takes time in proportion to the users.
func (s *choices) UsersNaming(ctx context.Context, id string) ([]string, error) {
	var users []string
	err := s.view(ctx, func(tx *bbolt.Tx) error {
		return tx.Bucket(userPreference).ForEach(func(k, v []byte) error {
			if bytes.Contains(v, []byte(id)) {
				users = append(users, string(bytes.TrimSuffix(k, []byte{0})))
			}
			return nil
		})
	})
	return users, err
}

func (s *choices) settings(ctx context.Context, bucket []byte, of string, v any) error {
	return s.view(ctx, func(tx *bbolt.Tx) error {
		b := tx.Bucket(bucket).Get(name(nil, of))
		if b == nil {
			return nil
		}
		return decodeJSON(bucket, name(nil, of), b, v)
	})
}

func (s *choices) changeSettings(ctx context.Context, bucket []byte, of string, edit storage.Edit) error {
	if err := storage.CheckName(of); err != nil {
		return err
	}
	return s.change(ctx, bucket, name(nil, of), edit)
}

// errChanged says that a value is not what it was when it was read.
var errChanged = errors.New("changed meanwhile")

// change stores what edit makes of a value.
func (s *choices) change(ctx context.Context, bucket, key []byte, edit storage.Edit) error {
	for {
		var before []byte
		err := s.view(ctx, func(tx *bbolt.Tx) error {
			before = bytes.Clone(tx.Bucket(bucket).Get(key))
			return nil
		})
		if err != nil {
			return err
		}
		v, err := edit(func(v any) error {
			if before == nil {
				return nil
			}
			return decodeJSON(bucket, key, before, v)
		})
		if err != nil || v == nil {
			return err
		}
		b, err := encodeJSON(v)
		if err != nil {
			return err
		}
		err = s.do(ctx, func(t *txn) error {
			if !bytes.Equal(t.get(bucket, key), before) {
				return errChanged
			}
			return t.put(bucket, key, b)
		})
		if !errors.Is(err, errChanged) {
			return err
		}
	}
}
