package web_test

import (
	"testing"

	"marque/bot/bottest"
)

func TestMain(m *testing.M) { bottest.Main(m) }
