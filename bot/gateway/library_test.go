package gateway

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"
)

// What the library logs of Discord's events and of its own packets leaves out all that they hold.
func TestTheLibraryLogsNoContents(t *testing.T) {
	before := discordgo.Logger
	defer func() { discordgo.Logger = before }()
	var log bytes.Buffer
	LogLibrary(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	event := `{"user": {"username": "Anne"}}`
	discordgo.Logger(discordgo.LogWarning, 2, "unknown event: Op: %d, Seq: %d, Type: %s, Data: %s", 0, 7, "NEW_THING", event)
	discordgo.Logger(discordgo.LogWarning, 2, "unknown Op: %d, Seq: %d, Type: %s, Data: %s, message: %s", 99, 8, "", event, event)
	discordgo.Logger(discordgo.LogWarning, 2, "Expected READY/RESUMED, instead got:\n%#v\n", &discordgo.Event{RawData: []byte(event), Struct: &discordgo.User{Username: "Anne"}})
	discordgo.Logger(discordgo.LogDebug, 2, "Identify Packet: \n%#v", discordgo.Identify{Token: "Anne"})
	discordgo.Logger(discordgo.LogError, 2, "error unmarshalling %s event, %s", "READY", "unexpected EOF")
	said := log.String()
	if strings.Contains(said, "Anne") || strings.Contains(said, "%!") {
		t.Errorf("the log is\n%s", said)
	}
	for _, want := range []string{"unknown event: Op: 0, Seq: 7, Type: NEW_THING\"", "unknown Op: 99", "Expected READY/RESUMED, instead got", "error unmarshalling READY event, unexpected EOF"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
}
