package compete_test

import (
	"os"
	"testing"

	"marque/bot/timesource/manual"
)

func TestMain(m *testing.M) { os.Exit(manual.Run(m)) }
