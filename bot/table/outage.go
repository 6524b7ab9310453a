package table

import (
	"context"
	"slices"
	"time"
)

// An outage of a server, while the bot is up: nobody there can move, so its clocks stand and nothing falls due at its tables. It is kept with the server's settings, so that a
// restart does not end it.

const (
	// outagePause is after how long a table where something falls due meanwhile is looked at again. The end of the outage lets it be reckoned anew at once.
	outagePause = time.Hour
	// maxOutages bounds a server's outages that are remembered; the oldest are forgotten first.
	maxOutages = 100
)

// outage reports whether the server has one.
func (s Settings) outage() bool {
	return len(s.Outages) > 0 && s.Outages[len(s.Outages)-1].To == 0
}

// OutageBegins notes that a server has an outage, unless nothing goes on there that it could hinder.
func (s *Service) OutageBegins(ctx context.Context, guild string) error {
	tables, err := s.store.ByGuild(ctx, guild, false, 0, 1)
	if err != nil || len(tables) == 0 {
		return err
	}
	_, _, err = s.changeSettings(ctx, guild, func(c *Settings) {
		if !c.outage() {
			c.Outages = append(slices.Clone(c.Outages), span{From: s.now()})
			c.Outages = c.Outages[max(0, len(c.Outages)-maxOutages):]
		}
	})
	return err
}

// OutageEnds notes that a server has no outage any more, and lets its clocks run again. It reports whether it had one.
func (s *Service) OutageEnds(ctx context.Context, guild string) (had bool, err error) {
	if c, err := s.Settings(ctx, guild); err != nil || !c.outage() {
		return false, err
	}
	_, _, err = s.changeSettings(ctx, guild, func(c *Settings) {
		if c.outage() {
			c.Outages = slices.Clone(c.Outages)
			c.Outages[len(c.Outages)-1].To = s.now()
		}
	})
	if err != nil {
		return true, err
	}
	return true, s.eachOfGuild(ctx, guild, func(h Head) error { return s.retime(ctx, h) })
}
