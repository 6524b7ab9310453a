package publish

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"marque/bot/choices"
	"marque/bot/compete"
	"marque/bot/rest"
	"marque/bot/show"
	"marque/bot/table"
	"marque/bot/timesource"
	"marque/games/competition"
	"marque/games/text"
	"marque/storage"
)

const (
	// maxDigests is the maximum number of users whose digests are handled in one pass.
	maxDigests = 200
	// digestPause is the time between two searches for due digests, unless the first has left out users.
	digestPause = 30 * time.Second
	// digestPatience is the time limit for building and sending a digest.
	digestPatience = 30 * time.Second
	// digestRetry is the pause before a failed digest is tried again.
	digestRetry = 10 * time.Minute
	// mostFailing is the maximum number of users with a failed digest that the bot remembers.
	mostFailing = 10_000
	// nonceKnown is the time after a digest is due during which Discord certainly remembers the nonce of its message.
	nonceKnown = time.Minute
	// maxDigest is the maximum number of tables in a digest, and also that of competitions.
	maxDigest = 20
)

// KeepDigests sends digests to users who chose one message a day, until ctx ends. If the bot was down at the chosen
// hour, it sends the digest when it is back.
func (rm *Room) KeepDigests(ctx context.Context) {
	failing := map[string]table.Stamp{} // time of the next try, by user id
	for ctx.Err() == nil {
		var failed []string
		more, now, err := rm.digestsDue(ctx, failing, func(user string, at table.Stamp) {
			err := rm.digest(ctx, user, at)
			if err == nil || ctx.Err() != nil || errors.Is(err, table.ErrClosing) {
				return
			}
			failed = append(failed, user)
			rm.log.WarnContext(ctx, "somebody's digest could not be sent; trying again later", "error", rest.Scrub(err))
		})
		if err != nil && ctx.Err() == nil && !errors.Is(err, storage.ErrClosed) {
			rm.log.ErrorContext(ctx, "who is to get a digest cannot be read; trying again", "error", err)
		}
		for user, at := range failing {
			if at <= now {
				delete(failing, user)
			}
		}
		for _, user := range failed[:min(len(failed), mostFailing-len(failing))] {
			failing[user] = now + table.Stamp(digestRetry.Milliseconds())
		}
		if !more || err != nil {
			timesource.Wait(ctx, rm.clock, now.Time().Add(digestPause), nil)
		}
	}
}

// digestsDue calls f for each user whose digest is due, with the due time. It skips the users in alone. more reports
// whether further users may be due, and now is the time of the search.
func (rm *Room) digestsDue(ctx context.Context, alone map[string]table.Stamp,
	f func(user string, at table.Stamp)) (more bool, now table.Stamp, err error) {
	now = storage.At(rm.clock.Now())
	if !rm.tables.Serves("") { // direct messages belong to the first shard
		return false, now, nil
	}
	most := maxDigests + len(alone)
	list, err := rm.store.UsersDue(ctx, now, most)
	if err != nil {
		return false, now, err
	}
	for _, user := range list {
		if _, is := alone[user]; is {
			continue
		}
		p, err := rm.tables.Choices.Preferences(ctx, user)
		if err != nil {
			return false, now, err
		}
		if p.Due != 0 && p.Due <= now {
			f(user, p.Due)
		}
	}
	return len(list) == most, now, nil
}

// digested records that the digest for a due time was sent, or was empty.
func (rm *Room) digested(ctx context.Context, user string, at table.Stamp) error {
	return rm.changePreferences(ctx, user, func(p *choices.Preferences) {
		if p.Due == at {
			p.Digest.Last = storage.At(rm.clock.Now())
		}
	})
}

func (rm *Room) changePreferences(ctx context.Context, user string, change func(*choices.Preferences)) error {
	_, err := rm.tables.Choices.ChangePreferences(ctx, user, func(p *choices.Preferences) error {
		change(p)
		return nil
	})
	return err
}

// digest sends the digest for a due time once, even if the bot was stopped before it could record the sending.
func (rm *Room) digest(ctx context.Context, user string, at table.Stamp) error {
	ctx, cancel := context.WithTimeout(rest.For(ctx, rest.Reminders), digestPatience)
	defer cancel()
	waiting, err := rm.tables.Lookup.Waiting(ctx, user)
	if err != nil {
		return err
	}
	asking, err := rm.competitions.Asking(ctx, user)
	if err != nil {
		return err
	}
	if len(waiting)+len(asking) == 0 {
		return rm.digested(ctx, user, at)
	}
	m, err := rm.digestMessage(ctx, user, waiting, asking)
	if err != nil {
		return err
	}
	m.Nonce = fmt.Sprintf("digest-%x", int64(at))
	switch err := rm.writeOnce(ctx, user, at, m); {
	case rest.Unwanted(err):
		rm.log.InfoContext(ctx, "a digest could not be sent; its reader is called in channels again",
			"error", rest.Scrub(err))
		return rm.changePreferences(ctx, user, func(p *choices.Preferences) {
			if p.Calls == choices.CallDaily {
				p.Calls = choices.CallInChannel
			}
		})
	case err != nil:
		return err
	}
	return rm.digested(ctx, user, at)
}

// writeOnce sends the digest for a due time, unless the channel of the user's direct messages already has it.
func (rm *Room) writeOnce(ctx context.Context, user string, at table.Stamp, m *show.Message) error {
	dm, err := rm.session.UserChannelCreate(user, discordgo.WithContext(ctx))
	if err != nil {
		return err
	}
	if rm.tables.Lookup.Now().Sub(at.Time()) > nonceKnown {
		if sent, err := rm.Stands(ctx, dm.ID, m.Nonce, at.Time()); sent != "" || err != nil {
			return err
		}
	}
	_, err = rm.rest.Post(ctx, dm.ID, m)
	return err
}

// digestMessage returns the message that lists the tables that wait for a user, and the competitions that wait for the
// user's answer.
func (rm *Room) digestMessage(ctx context.Context, user string, waiting []*table.Snapshot,
	asking []compete.Competition) (*show.Message, error) {
	prefs, err := rm.tables.Choices.Preferences(ctx, user)
	if err != nil {
		return nil, err
	}
	s := rm.languages.Personal(user, "", prefs, choices.Settings{})
	var lines []string
	if len(waiting) > 0 {
		lines = append(lines, "### "+s.Say(text.M("bot.digest.title", "Count", len(waiting))))
	}
	for _, snap := range waiting[:min(len(waiting), maxDigest)] {
		settings, err := rm.tables.Choices.TableSettings(ctx, snap.Head)
		if err != nil {
			return nil, err
		}
		what := "bot.digest.move"
		switch {
		case snap.Status == table.Lobby:
			what = "bot.digest.invited"
		case snap.Mover() != user:
			what = "bot.digest.offer"
		}
		line := "- " + s.Say(text.M(what, "Game", snap.Rules().Info().Name, "Table", snap.ID.String(),
			"Link", text.Link(snap.Guild, snap.Channel, "")))
		deadline, runs, err := rm.tables.Lookup.Deadline(ctx, snap.Head, settings)
		if err != nil {
			return nil, err
		}
		if runs && snap.Mover() == user {
			line += " " + s.Say(text.M("bot.digest.deadline", "Until", text.Moment(deadline, text.Relative)))
		}
		lines = append(lines, line)
	}
	if left := len(waiting) - maxDigest; left > 0 {
		lines = append(lines, s.Say(text.M("bot.digest.more", "Count", left)))
	}
	if len(asking) > 0 {
		lines = append(lines, "### "+s.Say(text.M("bot.digest.answers")))
	}
	for _, n := range asking[:min(len(asking), maxDigest)] {
		what, until := "bot.digest.challenge", competition.Stamp(0)
		if p, challenged := n.Asked(user); challenged {
			until = p.Answer
		} else if o, offered := n.Rules.OfferTo(user); offered {
			what, until = "bot.digest.substitute", o.Until
		}
		lines = append(lines, "- "+s.Say(text.M(what, "Name", n.Name,
			"Until", text.Moment(table.Stamp(until).Time(), text.Relative), "Link", text.Link(n.Server, n.Channel, ""))))
	}
	lines = append(lines, "-# "+s.Say(text.M("bot.digest.stop")))
	return show.Text(strings.Join(lines, "\n")), nil
}
