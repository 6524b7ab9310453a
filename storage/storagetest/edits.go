package storagetest

import "marque/storage"

// Set is an edit that stores v, whatever was stored before.
func Set(v any) storage.Edit { return func(func(any) error) (any, error) { return v, nil } }

// Up is a change of an uptime to u, whatever was stored before.
func Up(u storage.Uptime) func(storage.Uptime) storage.Uptime {
	return func(storage.Uptime) storage.Uptime { return u }
}
