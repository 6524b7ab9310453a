package shardstest

import (
	"testing"

	"marque/bot/timesource"
	"marque/storage/storagetest"
)

// Leases in memory are as package storage says.
func TestLeases(t *testing.T) { storagetest.Leases(t, New(timesource.System{})) }
