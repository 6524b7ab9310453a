package rest

import (
	"context"

	"github.com/bwmarrin/discordgo"
)

// archiveAfter is the time without activity after which Discord archives a thread, in minutes.
const archiveAfter = 7 * 24 * 60

// StartThread opens a thread on a message, with the first of the names that the server does not refuse. If the message
// already has a thread, StartThread returns nil: Discord may have opened it for a request whose answer was lost.
func (r Client) StartThread(ctx context.Context, channel, message string, names []string) error {
	err := Named(names, func(name string) error {
		_, err := r.Session.MessageThreadStartComplex(channel, message,
			&discordgo.ThreadStart{Name: name, AutoArchiveDuration: archiveAfter}, discordgo.WithContext(ctx))
		return err
	})
	if Code(err) == CodeThreadExists {
		return nil
	}
	return err
}

// Named calls f with each name in order, until f returns an error that is not NameRefused, or nil. It returns the last
// result of f.
func Named(names []string, f func(name string) error) (err error) {
	for _, name := range names {
		if err = f(name); !NameRefused(err) {
			return err
		}
	}
	return err
}

// Threadless reports whether Discord has refused to open a thread for a lasting reason, for example because channels of
// this kind have no threads, all names were refused, the server has as many threads as Discord allows, or the bot may
// not open any.
func Threadless(err error) bool { return Final(err) && Code(err) != CodeUnknownChannel }
