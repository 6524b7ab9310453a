package localdiscord

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// The saved state has two parts: the state file with the world at one moment, and a folder next to it with the
// attachments. A new state file replaces the old one soon after a change, and when the server is closed. A process that
// is killed loses the last changes.

const (
	stateVersion = 3 // versions 1 and 2 are no longer supported
	savePause    = 2 * time.Second
)

// savedState is the world without outages, interactions, logins and Activities, and without ephemeral messages, which
// Discord does not keep either.
type savedState struct {
	Version  int                          `json:"version"`
	LastID   int64                        `json:"last_id,string"`
	Users    []*user                      `json:"users"`
	Guilds   []*guild                     `json:"guilds"`
	Channels []*channel                   `json:"channels"`
	Commands map[string][]*command        `json:"commands"`
	Reads    map[string]map[string]string `json:"reads"`
}

// DamagedError means that the state file is damaged, or of a version that this program does not know.
type DamagedError struct {
	StateFile string // Options.StateFile
	Err       error  // error from decoding or checking the state file
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the local Discord's messages cannot be read: %s is damaged (%v). "+
		"Move it and %s away to begin with an empty local Discord; what the bot itself keeps is not lost",
		e.StateFile, e.Err, filesOf(e.StateFile))
}

// Unwrap returns the error of the file.
func (e *DamagedError) Unwrap() error { return e.Err }

func filesOf(stateFile string) string { return stateFile + ".files" }

// saver saves the world. Only one goroutine at a time may call its methods, except changed.
type saver struct {
	path string
	hub  *hub
	log  *slog.Logger

	changes chan struct{}   // has a value if something has changed since the last state file was begun
	stored  map[string]bool // ids of the attachments in the folder
	failing bool            // the last state file could not be written

	stop, stopped chan struct{}
}

func newSaver(path string, h *hub, log *slog.Logger) *saver {
	return &saver{path: path, hub: h, log: log, changes: make(chan struct{}, 1), stored: map[string]bool{},
		stop: make(chan struct{}), stopped: make(chan struct{})}
}

// changed makes the saver write a new state file soon.
func (s *saver) changed() {
	select {
	case s.changes <- struct{}{}:
	default:
	}
}

// open loads the saved state into the hub, and begins to save it.
func (s *saver) open() error {
	if err := s.load(); err != nil {
		return err
	}
	if err := s.write(); err != nil {
		return fmt.Errorf("the local Discord's files cannot be written: %w", err)
	}
	go func() {
		defer close(s.stopped)
		for {
			select {
			case <-s.changes:
			case <-s.stop:
				return
			}
			select {
			case <-time.After(savePause):
			case <-s.stop:
				return
			}
			s.report(s.write())
		}
	}()
	return nil
}

// close writes the last state file.
func (s *saver) close() error {
	close(s.stop)
	<-s.stopped
	return s.write()
}

// report logs the first of successive errors of writing, and the first success after them. After an error, the saver
// tries again.
func (s *saver) report(err error) {
	switch {
	case err != nil && !s.failing:
		s.log.Error("what happens in the local Discord is not kept: its files cannot be written", "error", err)
	case err == nil && s.failing:
		s.log.Info("the local Discord is kept again")
	}
	if s.failing = err != nil; s.failing {
		s.changed() // try again
	}
}

// write stores the attachments in the folder, replaces the state file, and removes other files from the folder.
func (s *saver) write() error {
	select {
	case <-s.changes:
	default:
	}
	s.hub.mu.Lock()
	raw, wanted := save(s.hub.state)
	s.hub.mu.Unlock()
	for id, data := range wanted {
		if s.stored[id] {
			continue
		}
		if err := os.WriteFile(filepath.Join(filesOf(s.path), id), data, 0o600); err != nil {
			return err
		}
		s.stored[id] = true
	}
	if err := replace(s.path, raw); err != nil {
		return err
	}
	for id := range s.stored {
		if wanted[id] == nil {
			os.Remove(filepath.Join(filesOf(s.path), id))
			delete(s.stored, id)
		}
	}
	return nil
}

// replace replaces a whole file, which only the owner can read. After an error, the old file is unchanged.
func replace(path string, data []byte) error {
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// load reads the state file and the attachments. Without a state file the world stays unchanged.
func (s *saver) load() error {
	if err := os.MkdirAll(filesOf(s.path), 0o700); err != nil {
		return fmt.Errorf("the local Discord's files cannot be used: %w", err)
	}
	there, err := os.ReadDir(filesOf(s.path))
	if err != nil {
		return fmt.Errorf("the local Discord's files cannot be used: %w", err)
	}
	for _, e := range there {
		s.stored[e.Name()] = true
	}
	raw, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the local Discord's messages cannot be read: %w", err)
	}
	var saved savedState
	if err := json.Unmarshal(raw, &saved); err != nil {
		return &DamagedError{s.path, err}
	}
	if saved.Version != stateVersion {
		return &DamagedError{s.path, fmt.Errorf("its version is %d; this program knows %d", saved.Version,
			stateVersion)}
	}
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	if err := restore(s.hub.state, &saved); err != nil {
		return &DamagedError{s.path, err}
	}
	missing, err := loadFiles(s.hub.state, filesOf(s.path))
	if missing > 0 {
		s.log.Warn("pictures are missing in the local Discord", "number", missing)
	}
	return err
}

// save encodes the state, and returns the attachments that belong to it.
func save(s *state) (raw []byte, files map[string][]byte) {
	saved := savedState{Version: stateVersion, LastID: s.lastID, Commands: s.commands, Reads: s.reads}
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

// restore replaces the state with the saved one.
func restore(s *state, saved *savedState) error {
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
	if err := sound(s); err != nil {
		return err
	}
	for _, c := range s.channels {
		for _, m := range c.Messages {
			if m.loading() { // the answer can no longer be completed, because its token is lost
				m.Flags &^= flagLoading
				m.Content = "The application did not respond"
			}
		}
	}
	return nil
}

// sound returns an error if a state lacks a property on which the rest of the program relies.
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
		case c.Type == channelDM && s.users[c.Recipient] == nil, c.context() == contextGuild &&
			s.guilds[c.GuildID] == nil:
			return fmt.Errorf("channel %s is nobody's", c.ID)
		case slices.ContainsFunc(c.Group, func(id string) bool { return s.users[id] == nil }):
			return fmt.Errorf("channel %s has a user who does not exist", c.ID)
		case c.isThread() && c.Thread == nil:
			return fmt.Errorf("thread %s is incomplete", c.ID)
		}
	}
	return nil
}

// loadFiles reads the attachments of all messages, and returns the number of missing ones. Messages with missing
// attachments stay.
func loadFiles(s *state, folder string) (missing int, err error) {
	for _, c := range s.channels {
		for _, m := range c.Messages {
			for _, a := range m.Attachments {
				data, err := os.ReadFile(filepath.Join(folder, a.ID))
				switch {
				case err == nil:
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
