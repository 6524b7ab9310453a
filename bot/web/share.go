package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/archive"
	"marque/bot/choices"
	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/reviews"
	"marque/bot/show"
	"marque/bot/table"
	"marque/games"
	"marque/games/scene"
	"marque/games/text"
	"marque/games/text/locale"
	"marque/storage"
)

const (
	// maxSharing is the maximum number of concurrent requests for shared games. sharedWait is the maximum wait for a
	// slot. The limits are low, because anybody with a link can send these requests, and players must not be delayed.
	maxSharing = 2
	sharedWait = 5 * time.Second
	// lookWait is the maximum wait for the game's report.
	lookWait = time.Second
	// maxShared is the maximum number of plays on the page of a shared game.
	maxShared = 4096
)

// errNotShared means that a game has no public page, for any reason.
var errNotShared = errors.New("no page of that game")

// shareable is a finished game, reduced to the data that its players allow others to see. While missing has users, or
// if departed is set, the game has no page.
type shareable struct {
	*table.Snapshot          // without user ids; a player who is not named is called by the letter of the seat
	missing         []string // users who have not allowed the page, in seat order
	departed        bool     // whether a seat has no player, or the data of its player were deleted
}

// asked returns mentions of the users who have not allowed the page.
func (of shareable) asked() (list []text.Message) {
	for _, user := range of.missing {
		list = append(list, text.User(user).Raw())
	}
	return list
}

// shareableBy returns a game reduced to what its players' preferences allow. s translates the words for players without
// a name.
func (rm *Room) shareableBy(ctx context.Context, snap *table.Snapshot, s *locale.Speaker) (shareable, error) {
	own := *snap
	own.Guild, own.Channel, own.Host, own.Seats = "", "", "", slices.Clone(snap.Seats)
	of := shareable{Snapshot: &own}
	for i, o := range own.Seats {
		if o.Computer != "" {
			continue
		}
		prefs, err := rm.Tables.Choices.Preferences(ctx, o.User)
		if err != nil {
			return of, err
		}
		own.Seats[i] = table.Occupant{Name: o.Name}
		switch {
		case show.Departed(o):
			of.departed = true
		case prefs.Sharing == choices.ShareNothing:
			of.missing = append(of.missing, o.User)
		case prefs.Sharing != choices.ShareByName:
			own.Seats[i].Name = text.NewName(s.Plain().Say(text.M("bot.share.seat", "Letter", scene.SeatLetter(i))))
		}
	}
	return of, nil
}

// share answers the button that creates the page of a game.
func (rm *Room) share(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	m, err := rm.shareMessage(ctx, r)
	return interact.Reply{New: m}, err
}

// allow answers the buttons with which a player allows pages of their games.
func (rm *Room) allow(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if _, _, err := rm.shared(ctx, r); err != nil {
		return interact.Reply{}, err
	}
	how := choices.Sharing(r.Control.Arg)
	if how != choices.ShareUnnamed && how != choices.ShareByName {
		return interact.Reply{}, show.Refuse(text.M("bot.page.moved-on"))
	}
	if _, err := rm.Tables.Choices.ChangePreferences(ctx, r.User.ID, func(p *choices.Preferences) error {
		p.Sharing = how
		return nil
	}); err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.shareMessage(ctx, r)
	if r.Private() {
		return interact.Reply{Update: m}, err
	}
	return interact.Reply{New: m}, err
}

// shared returns the finished game that a player wants to share, as it is, and as others may see it.
func (rm *Room) shared(ctx context.Context, r *interact.Request) (*table.Snapshot, shareable, error) {
	snap, err := rm.Find.StartedTable(ctx, r)
	switch {
	case err != nil:
		return nil, shareable{}, err
	case snap.Status != table.Over:
		return nil, shareable{}, table.Refuse(table.ErrNotOver, text.M("table.error.not-over"))
	case snap.Seat(r.User.ID) < 0:
		return nil, shareable{}, show.Refuse(text.M("bot.share.players"))
	}
	of, err := rm.shareableBy(ctx, snap, r.Say)
	if err == nil && of.departed {
		err = show.Refuse(text.M("bot.share.departed"))
	}
	return snap, of, err
}

// shareMessage returns a message with the link to the game's page, or one that asks for the user's permission or names
// the players whose permission is missing.
func (rm *Room) shareMessage(ctx context.Context, r *interact.Request) (*show.Message, error) {
	snap, of, err := rm.shared(ctx, r)
	if err != nil {
		return nil, err
	}
	if slices.Contains(of.missing, r.User.ID) {
		return rm.allowMessage(snap, r.Say.Say(text.M("bot.share.yours")), r.Say), nil
	}
	if len(of.missing) > 0 {
		m := show.Text(r.Say.Say(text.M("bot.share.missing", "Who", of.asked())))
		if r.Where == interact.OnServer {
			m.Components = append(m.Components, show.Rows(show.Button(discordgo.PrimaryButton,
				r.Say.Say(text.M("bot.share.ask")), show.CustomID{Action: actionAsk, Table: snap.ID.String()}))...)
		}
		return m, nil
	}
	key, err := rm.Store.ShareGame(ctx, snap.ID, storage.Secret(rand.Text()))
	if err != nil {
		return nil, err
	}
	link := rm.URL.String() + "/#game." + snap.ID.String() + "." + key.Reveal()
	return linkMessage(r.Say.Say(text.M("bot.share.link", "Link", text.Code(link))), link, r.Say), nil
}

// allowMessage returns a message with the buttons to which Room.allow replies.
func (rm *Room) allowMessage(snap *table.Snapshot, said string, s *locale.Speaker) *show.Message {
	m := show.Text(said)
	var buttons []discordgo.Button
	for _, how := range []choices.Sharing{choices.ShareByName, choices.ShareUnnamed} {
		buttons = append(buttons, show.Button(discordgo.SecondaryButton, s.Say(text.M("bot.share."+string(how))),
			show.CustomID{Action: actionAllow, Table: snap.ID.String(), Arg: string(how)}))
	}
	m.Components = append(m.Components, show.Rows(buttons...)...)
	return m
}

// askPlayers replies with a public question to the players who have not allowed the page, which pings nobody. If all
// have allowed it, the user gets the link in private.
func (rm *Room) askPlayers(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	snap, of, err := rm.shared(ctx, r)
	if err != nil {
		return interact.Reply{}, err
	}
	if len(of.missing) == 0 {
		m, err := rm.shareMessage(ctx, r)
		if m != nil {
			m.Ephemeral = true
		}
		return interact.Reply{New: m}, err
	}
	said := r.Say.Say(text.M("bot.share.asked", "Who", of.asked(), "By", text.User(r.User.ID),
		"Game", snap.Rules().Info().Name, "Table", snap.ID))
	return interact.Reply{New: rm.allowMessage(snap, said, r.Say)}, nil
}

// answerShared answers anybody who has a game's link. The answer is a picture, or the table's state, which includes the
// report once the review is done.
func (rm *Room) answerShared(w http.ResponseWriter, q *http.Request) {
	a, ok := rm.read(w, q)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(q.Context(), sharedWait)
	defer cancel()
	select {
	case rm.sharing <- struct{}{}:
		defer func() { <-rm.sharing }()
	case <-ctx.Done():
		w.Header().Set("Retry-After", "5")
		write(w, http.StatusServiceUnavailable, answer{})
		return
	}
	ctx = show.WithTheme(q.Context(), a.Theme)
	s := rm.Sentences.Speaker(nil, language(a.Language))
	of, err := rm.sharedBy(ctx, a.Shared, s)
	var file *discordgo.File
	var said answer
	switch {
	case err != nil:
	case a.Picture != "":
		n := min(max(a.Plays, 0), of.Plays)
		from := latest(of.Snapshot, games.Spectator, n)
		file, _, err = rm.Paint.Board(ctx, of.Snapshot, games.Spectator, from, n, s)
	default:
		said.State, err = rm.sharedState(ctx, of.Snapshot, s)
	}
	var picture []byte
	if err == nil && file != nil {
		picture, err = io.ReadAll(file.Reader)
	}
	switch {
	case errors.Is(err, errNotShared):
		write(w, http.StatusNotFound, answer{})
	case err != nil:
		rm.Log.WarnContext(ctx, "a page of a game could not be shown", "error", rest.Scrub(err))
		write(w, http.StatusServiceUnavailable, answer{})
	case picture != nil:
		writePicture(w, picture)
	default:
		write(w, http.StatusOK, said)
	}
}

// sharedBy returns the game of a link. It returns errNotShared for an invalid link, and for a page that is gone.
func (rm *Room) sharedBy(ctx context.Context, link string, s *locale.Speaker) (shareable, error) {
	number, key, _ := strings.Cut(link, ".")
	id, err := storage.ParseID(number)
	if err != nil {
		return shareable{}, errNotShared
	}
	want, err := rm.Store.ShareKey(ctx, id)
	if err != nil {
		return shareable{}, err
	}
	if subtle.ConstantTimeCompare([]byte(key), []byte(want.Reveal())) != 1 || want == "" {
		return shareable{}, errNotShared
	}
	snap, err := rm.Tables.Lookup.Snapshot(ctx, id)
	switch {
	case errors.Is(err, storage.ErrNoTable):
		return shareable{}, errNotShared
	case err != nil:
		return shareable{}, err
	case snap.Status != table.Over || !snap.HasStarted():
		return shareable{}, errNotShared
	}
	of, err := rm.shareableBy(ctx, snap, s)
	if err == nil && (of.departed || len(of.missing) > 0) {
		err = errNotShared
	}
	return of, err
}

// sharedState returns a finished game in the spectators' view, with its latest maxShared plays, and with the report if
// it is ready.
func (rm *Room) sharedState(ctx context.Context, snap *table.Snapshot, s *locale.Speaker) (*State, error) {
	plain := show.Plain(s, snap)
	st := rm.tableState(snap, games.Spectator, max(show.LaidOut(snap), snap.Plays-maxShared), s)
	wait, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	found, err := rm.Archive.Reviews.Review(wait, snap.ID)
	var refused games.PlayerError
	switch {
	case errors.Is(err, table.ErrBusy): // too many reviews are running
		st.Pending = true
		return st, nil
	case errors.As(err, &refused): // there are no computer players
		return st, nil
	case err != nil:
		return nil, err
	case !found.Done:
		st.Pending = true
		return st, nil
	}
	found.Snapshot = snap
	for _, p := range found.Points {
		for i := range st.Story {
			if st.Story[i].Plays == p.Play+1 {
				st.Story[i].Note = archive.CostLine(snap, p, plain)
			}
		}
	}
	st.Report, err = rm.sharedReport(ctx, found, s)
	return st, err
}

func (rm *Room) sharedReport(ctx context.Context, found reviews.Review, s *locale.Speaker) (*Message, error) {
	said, sheet, about, err := rm.Archive.Report(ctx, found, s)
	if err != nil {
		return nil, err
	}
	m := show.Text(said)
	m.Files = append(m.Files, sheet)
	m.Components = append(m.Components, show.Sheet(sheet.Name, about, s)...)
	return rm.message(found.Snapshot, m), nil
}
