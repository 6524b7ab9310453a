package table_test

import (
	"errors"
	"testing"

	"marque/bot/table"
	"marque/games"
	"marque/storage"
)

// sentence is what a player is told about a refusal.
func sentence(err error) (id string, args map[string]any) {
	var pe games.PlayerError
	if !errors.As(err, &pe) {
		return "", nil
	}
	m := pe.Text()
	return m.ID, m.Args
}

// No table is opened where there is no server.
func TestNoServer(t *testing.T) {
	s := newShip(t)
	defer s.sink()
	ctx := t.Context()
	o := table.Opening{Game: "heap", Channel: "c"}
	if err := s.Check(s.as("ann"), o); !errors.Is(err, table.ErrNoServer) {
		t.Errorf("checked a table without a server: %v", err)
	}
	_, err := s.Service.Open(ctx, s.as("ann"), o)
	if id, _ := sentence(err); !errors.Is(err, table.ErrNoServer) || id != "table.error.no-server" {
		t.Errorf("opened a table without a server: %v (%q)", err, id)
	}
	if list, err := s.store.ByChannel(ctx, "c", storage.Active, 0, 10); err != nil || len(list) != 0 {
		t.Errorf("stored %v, %v", list, err)
	}
}
