package bot_test

import (
	"os"
	"testing"

	"marque/bot/localdiscord/pagetest"
	"marque/bot/timesource/manual"
)

func TestMain(m *testing.M) { os.Exit(pagetest.Run(func() int { return manual.Run(m) })) }
