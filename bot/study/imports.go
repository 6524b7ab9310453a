package study

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/games"
	"marque/games/text"
	"marque/games/verify"
	"marque/storage"
)

// askedFile is the name of the option of /record import, and of the input of its form.
const askedFile = "file"

// importRecord answers /record import with a study of the attached record. Without a file it shows a form that asks for
// one.
func (rm *Room) importRecord(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	if len(r.Options) > 0 {
		return rm.imported(ctx, r, r.Upload(askedFile))
	}
	s := r.Say.Plain()
	return interact.Reply{Modal: show.Form(show.CustomID{Action: actionImport}, s.Say(text.M("bot.import.title")),
		show.Asked(s.Say(text.M("bot.import.file")), s.Say(text.M("bot.import.file-help")),
			discordgo.FileUpload{CustomID: askedFile}))}, nil
}

// importUpload answers the form with a study of the uploaded record.
func (rm *Room) importUpload(ctx context.Context, r *interact.Request) (interact.Reply, error) {
	return rm.imported(ctx, r, r.Form.File(askedFile))
}

// imported checks a record from the user, and begins a study with it.
func (rm *Room) imported(ctx context.Context, r *interact.Request,
	file *discordgo.MessageAttachment) (interact.Reply, error) {
	if file == nil { // Discord sent no attachment with this id
		return interact.Reply{}, errUnreachable
	}
	if file.Size > MaxRecord {
		return interact.Reply{}, errLarge
	}
	data, err := rm.Rest.Attachment(ctx, file.URL, MaxRecord)
	switch {
	case errors.Is(err, rest.ErrTooLarge):
		return interact.Reply{}, errLarge
	case err != nil:
		rm.Log.WarnContext(ctx, "a record to be imported could not be fetched", "error", rest.Scrub(err))
		return interact.Reply{}, errUnreachable
	}
	report, record, err := rm.check(data)
	if err != nil {
		return interact.Reply{}, err
	}
	st := Study{storage.Study{Prefix: report.Plays, At: lively(report.Match, report.Plays)}}
	if err := st.Pack(record); err != nil {
		return interact.Reply{}, err
	}
	if st, err = rm.Studies.Open(ctx, r.User.ID, st); err != nil {
		return interact.Reply{}, err
	}
	m, err := rm.shown(ctx, r, st, strings.Join(found(r, report), "\n"))
	return interact.Reply{New: m}, err
}

// errUnreachable is the refusal of a file that cannot be fetched.
var errUnreachable = show.Refuse(text.M("bot.import.unreachable"))

// errLarge is the refusal of a file that is larger than MaxRecord.
var errLarge = show.Refuse(text.M("bot.import.large", "Count", MaxRecord>>10))

// check parses a record, which can be written by hand, and verifies its contents. Its error describes the fault for the
// user.
func (rm *Room) check(data []byte) (verify.Report, games.Record, error) {
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return verify.Report{}, games.Record{}, show.Refuse(text.M("bot.import.binary"))
	}
	record, err := games.DecodeRecord(bytes.NewReader(data))
	if err == nil && len(record.Log) > MaxRecordPlays {
		return verify.Report{}, record, show.Refuse(text.M("table.error.long-record"))
	}
	var report verify.Report
	find := func(key string) (games.Game, bool) {
		g, err := rm.Games.Find(key)
		return g, err == nil
	}
	switch {
	case err != nil:
	case record.Header.Commitment != "":
		report, err = verify.Record(record, find)
	default:
		if report.Match, err = verify.Legal(record, find); err == nil {
			report.Plays, report.Sealed = report.Match.Len(), true
		}
	}
	var fault *games.RecordError
	if errors.As(err, &fault) {
		return report, record, show.Refuse(text.M("bot.import.wrong", "Line", fault.Line,
			"Reason", fault.Reason, "Why", because(fault.Err)))
	}
	return report, record, err
}

// because returns the game's reason against a play, if there is one.
func because(err error) text.Message {
	var said games.PlayerError
	if errors.As(err, &said) {
		return said.Text()
	}
	return text.Message{}
}

// found returns the sentences with the results of a verification.
func found(r *interact.Request, report verify.Report) []string {
	lines := []string{r.Say.Say(text.M("bot.verify.legal", "Plays", text.M("bot.count.plays", "Count", report.Plays)))}
	switch {
	case report.Sealed && report.Match.Game().Traits().Chance:
		lines = append(lines, r.Say.Say(text.M("bot.import.unproved")))
	case report.Draws == 0:
		lines = append(lines, r.Say.Say(text.M("bot.verify.undrawn")))
	default:
		lines = append(lines, r.Say.Say(text.M("bot.verify.proved", "Count", report.Draws)))
	}
	return append(lines, "-# "+r.Say.Say(text.M("bot.import.kept", "Days", int(Life.Hours()/24))))
}
