package interact

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/background"
	"marque/bot/rest"
	"marque/games/text/locale"
)

// newTestRouter returns a Router with the commands of one room, and a discord that records the answers. The Router logs
// to log.
func newTestRouter(t *testing.T, room Room, choices Choices, log io.Writer) (*Router, *discord) {
	t.Helper()
	sentences, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	s, err := discordgo.New("Bot token")
	if err != nil {
		t.Fatal(err)
	}
	d := &discord{first: map[string]time.Time{}, said: map[string]string{}}
	s.Client = &http.Client{Transport: d}
	registry, err := NewRegistry(room)
	if err != nil {
		t.Fatal(err)
	}
	return NewRouter(Config{
		Registry: registry, Rest: rest.Client{Session: s}, Log: slog.New(slog.NewTextHandler(log, nil)),
		Sentences: sentences, Choices: choices, Background: new(background.Gate),
		Afterwards: func(context.Context, *Request) {},
	}), d
}

// typed returns the interaction of a command without options. The string id is its id, its token and its user's id.
func typed(id, command string) *discordgo.Interaction {
	return &discordgo.Interaction{
		ID: id, AppID: "1", Token: id, GuildID: "1", Type: discordgo.InteractionApplicationCommand,
		Data:   discordgo.ApplicationCommandInteractionData{Name: command},
		Member: &discordgo.Member{User: &discordgo.User{ID: id}},
	}
}
