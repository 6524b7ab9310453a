package bolt

import (
	"bytes"
	"context"

	"go.etcd.io/bbolt"

	"marque/storage"
)

// GuildSettings reads a server's settings into v, a pointer to a struct with JSON tags. What was never set stays as it is in v.
func (s *choices) GuildSettings(ctx context.Context, guild string, v any) error {
	return s.settings(ctx, guildPreference, guild, v)
}

// SetGuildSettings stores a server's settings.
func (s *choices) SetGuildSettings(ctx context.Context, guild string, v any) error {
	return s.setSettings(ctx, guildPreference, guild, v)
}

// UserSettings reads a user's settings into v, as GuildSettings does.
func (s *choices) UserSettings(ctx context.Context, user string, v any) error {
	return s.settings(ctx, userPreference, user, v)
}

// SetUserSettings stores a user's settings.
func (s *choices) SetUserSettings(ctx context.Context, user string, v any) error {
	return s.setSettings(ctx, userPreference, user, v)
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

func (s *choices) setSettings(ctx context.Context, bucket []byte, of string, v any) error {
	if err := storage.CheckName(of); err != nil {
		return err
	}
	b, err := encodeJSON(v)
	if err != nil {
		return err
	}
	return s.do(ctx, func(t *txn) error { return t.put(bucket, name(nil, of), b) })
}
