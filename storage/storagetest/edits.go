package storagetest

import "marque/storage"

// Set returns an edit that replaces the stored value with v.
func Set(v any) storage.Edit { return func(func(any) error) (any, error) { return v, nil } }

// Up returns a change that replaces the stored uptime with u.
func Up(u storage.Uptime) func(storage.Uptime) storage.Uptime {
	return func(storage.Uptime) storage.Uptime { return u }
}
