package rest

import (
	"context"

	"github.com/bwmarrin/discordgo"
)

// archiveAfter is when Discord archives a thread in which nothing happens, in minutes.
const archiveAfter = 7 * 24 * 60

// StartThread opens a thread under a message, with the first of the names that the server does not refuse.
func (r Client) StartThread(ctx context.Context, channel, message string, names []string) error {
	return Named(names, func(name string) error {
		_, err := r.Session.MessageThreadStartComplex(channel, message,
			&discordgo.ThreadStart{Name: name, AutoArchiveDuration: archiveAfter}, discordgo.WithContext(ctx))
		return err
	})
}

// Named calls f with one name after the other until one is not refused.
func Named(names []string, f func(name string) error) (err error) {
	for _, name := range names {
		if err = f(name); !NameRefused(err) {
			return err
		}
	}
	return err
}

// Threadless reports whether Discord has refused a thread in a way that does not pass by itself: this kind of channel
// has none, or no name was taken, or the server has as many as Discord allows, or the bot may not open any.
func Threadless(err error) bool { return Final(err) && Code(err) != CodeUnknownChannel }
