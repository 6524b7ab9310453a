package localdiscord

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// save encodes the whole state, and says which attachments belong to it.
func save(s *state) (raw []byte, files map[string][]byte) {
	saved := savedState{LastID: s.lastID, Commands: s.commands, Reads: s.reads}
	for _, id := range s.userOrder {
		saved.Users = append(saved.Users, s.users[id])
	}
	for _, id := range s.guildOrder {
		saved.Guilds = append(saved.Guilds, s.guilds[id])
	}
	files = map[string][]byte{}
	for _, id := range slices.Sorted(maps.Keys(s.channels)) {
		c := *s.channels[id]
		c.Messages = slices.DeleteFunc(slices.Clone(c.Messages), func(m *message) bool { return m.EphemeralTo != "" })
		saved.Channels = append(saved.Channels, &c)
		for _, m := range c.Messages {
			for _, a := range m.Attachments {
				if f, ok := s.files.get(a.ID); ok {
					files[a.ID] = f.data
				}
			}
		}
	}
	return mustJSON(saved), files
}

// restore replaces the state by what was kept.
func restore(s *state, saved *savedState, entries []entry) error {
	s.lastID = saved.LastID
	clear(s.users)
	clear(s.guilds)
	clear(s.channels)
	s.userOrder, s.guildOrder = nil, nil
	for _, u := range saved.Users {
		s.addUser(u)
	}
	for _, g := range saved.Guilds {
		s.addGuild(g)
	}
	for _, c := range saved.Channels {
		s.channels[c.ID] = c
	}
	if saved.Commands != nil {
		s.commands = saved.Commands
	}
	if saved.Reads != nil {
		s.reads = saved.Reads
	}
	for _, e := range entries {
		replay(s, e)
	}
	if err := sound(s); err != nil {
		return err
	}
	for _, c := range s.channels {
		for _, m := range c.Messages {
			if m.loading() { // the token with which it would have been filled in is gone
				m.Flags &^= flagLoading
				m.Content = "The application did not respond"
			}
		}
	}
	return nil
}

// replay carries out a line of the journal.
func replay(s *state, e entry) {
	s.lastID = max(s.lastID, e.LastID)
	switch {
	case e.User != nil:
		s.addUser(e.User)
	case e.Guild != nil:
		s.addGuild(e.Guild)
	case e.Channel != nil:
		if old := s.channels[e.Channel.ID]; old != nil {
			e.Channel.Messages = old.Messages
		}
		s.channels[e.Channel.ID] = e.Channel
	case e.Message != nil:
		if c := s.channels[e.Message.ChannelID]; c != nil {
			s.append(c, e.Message)
		}
	case e.Commands != nil:
		s.commands[e.Commands.Scope] = e.Commands.List
	case e.Read != nil:
		s.read(e.Read.User, e.Read.Channel, e.Read.Message)
	case e.GoneChannel != "":
		if c := s.channels[e.GoneChannel]; c != nil {
			s.forgetChannel(c)
		}
	case e.GoneMessage != nil:
		if c := s.channels[e.GoneMessage.ChannelID]; c != nil {
			c.Messages = slices.DeleteFunc(c.Messages, func(m *message) bool { return m.ID == e.GoneMessage.MessageID })
		}
	}
}

// sound looks for what the rest of the program takes for granted.
func sound(s *state) error {
	if s.users[Application] == nil || len(s.userOrder) < 2 {
		return errors.New("the bot or its users are missing")
	}
	for _, g := range s.guilds {
		if g.role(g.ID) == nil {
			return fmt.Errorf("server %s has no role for everyone", g.ID)
		}
		for _, m := range g.Members {
			if s.users[m.UserID] == nil {
				return fmt.Errorf("server %s has a member who does not exist", g.ID)
			}
		}
		for _, id := range g.Channels {
			if s.channels[id] == nil {
				return fmt.Errorf("server %s has a channel that does not exist", g.ID)
			}
		}
	}
	for _, c := range s.channels {
		switch {
		case c.Type == channelDM && s.users[c.Recipient] == nil, c.context() == contextGuild && s.guilds[c.GuildID] == nil:
			return fmt.Errorf("channel %s is nobody's", c.ID)
		case slices.ContainsFunc(c.Group, func(id string) bool { return s.users[id] == nil }):
			return fmt.Errorf("channel %s has a user who does not exist", c.ID)
		case c.isThread() && c.Thread == nil:
			return fmt.Errorf("thread %s is incomplete", c.ID)
		}
	}
	return nil
}

// loadFiles reads the attachments of all messages, and counts those that are not there: they are
// missing in their messages alone.
func loadFiles(s *state, stateFile string) (missing int, err error) {
	raw, err := os.ReadFile(recentOf(stateFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("the local Discord's pictures cannot be read: %w", err)
	}
	recent := readUploads(raw)
	for _, c := range s.channels {
		for _, m := range c.Messages {
			for _, a := range m.Attachments {
				data, ok := recent[a.ID]
				if !ok {
					data, err = os.ReadFile(filepath.Join(filesOf(stateFile), a.ID))
				}
				switch {
				case ok || err == nil:
					s.files.put(a, data)
				case errors.Is(err, fs.ErrNotExist):
					missing++
				default:
					return 0, fmt.Errorf("the local Discord's pictures cannot be read: %w", err)
				}
			}
		}
	}
	return missing, nil
}
