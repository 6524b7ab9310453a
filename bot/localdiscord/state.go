package localdiscord

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const stateVersion = 1

// savedState is what the state file holds. Ephemeral messages are not kept, as on Discord.
type savedState struct {
	Version  int                          `json:"version"`
	LastID   int64                        `json:"last_id,string"`
	Users    []*user                      `json:"users"`
	Guilds   []*guild                     `json:"guilds"`
	Channels []*channel                   `json:"channels"`
	Commands map[string][]*command        `json:"commands"`
	Reads    map[string]map[string]string `json:"reads"`
}

// saveEvery is how often the state file is written at most.
const saveEvery = time.Second

// saveWhenDirty writes the state file soon after something changed, until Close.
func (s *Server) saveWhenDirty() {
	for range s.saver {
		if err := s.save(); err != nil {
			s.log.Error("cannot write the state of the local Discord", "error", err)
		}
		pause := time.NewTimer(saveEvery)
		select {
		case <-pause.C:
		case <-s.closing:
			pause.Stop()
			return
		}
	}
}

func (s *Server) filesDir() string { return s.opts.StateFile + ".files" }

// save writes the state file atomically, and the files of attachments beside it.
func (s *Server) save() error {
	s.mu.Lock()
	if !s.dirty {
		s.mu.Unlock()
		return nil
	}
	s.dirty = false
	st := savedState{Version: stateVersion, LastID: s.lastID, Commands: s.commands, Reads: s.reads}
	for _, id := range s.userOrder {
		st.Users = append(st.Users, s.users[id])
	}
	for _, id := range s.guildOrder {
		st.Guilds = append(st.Guilds, s.guilds[id])
	}
	ids := make([]string, 0, len(s.channels))
	for id := range s.channels {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	wanted := map[string]bool{}
	for _, id := range ids {
		c := *s.channels[id]
		c.Messages = slices.DeleteFunc(slices.Clone(c.Messages), func(m *message) bool { return m.EphemeralTo != "" })
		st.Channels = append(st.Channels, &c)
		for _, m := range c.Messages {
			for _, a := range m.Attachments {
				wanted[a.ID] = true
			}
		}
	}
	raw := mustJSON(st)
	s.mu.Unlock()

	err := s.saveFiles(wanted)
	if err == nil {
		err = writeAtomically(s.opts.StateFile, raw)
	}
	if err != nil {
		s.mu.Lock()
		s.dirty = true // to be tried again with the next change
		s.mu.Unlock()
	}
	return err
}

// saveFiles writes attachments that are not there yet and removes those that are no longer wanted.
func (s *Server) saveFiles(wanted map[string]bool) error {
	if err := os.MkdirAll(s.filesDir(), 0o700); err != nil {
		return err
	}
	there, err := os.ReadDir(s.filesDir())
	if err != nil {
		return err
	}
	for _, e := range there {
		if !wanted[e.Name()] {
			os.Remove(filepath.Join(s.filesDir(), e.Name()))
		}
		delete(wanted, e.Name())
	}
	for id := range wanted {
		if f, ok := s.files.get(id); ok {
			if err := writeAtomically(filepath.Join(s.filesDir(), id), f.data); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeAtomically(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// load reads the state file; the standard world stays if there is none.
func (s *Server) load() error {
	raw, err := os.ReadFile(s.opts.StateFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("localdiscord: cannot read the state file: %w", err)
	}
	var st savedState
	if err := json.Unmarshal(raw, &st); err != nil || st.Version != stateVersion {
		return fmt.Errorf("localdiscord: %s is not a state file of this version (move it away to start afresh): %v", s.opts.StateFile, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID = st.LastID
	clear(s.users)
	clear(s.guilds)
	clear(s.channels)
	s.userOrder, s.guildOrder = nil, nil
	for _, u := range st.Users {
		s.users[u.ID] = u
		s.userOrder = append(s.userOrder, u.ID)
	}
	for _, g := range st.Guilds {
		s.guilds[g.ID] = g
		s.guildOrder = append(s.guildOrder, g.ID)
	}
	for _, c := range st.Channels {
		s.channels[c.ID] = c
		for _, m := range c.Messages {
			if m.loading() { // the token with which it would have been filled in is gone
				m.Flags &^= flagLoading
				m.Content = "The application did not respond"
			}
			for _, a := range m.Attachments {
				if data, err := os.ReadFile(filepath.Join(s.filesDir(), a.ID)); err == nil {
					s.files.put(a, data)
				}
			}
		}
	}
	if st.Commands != nil {
		s.commands = st.Commands
	}
	if st.Reads != nil {
		s.reads = st.Reads
	}
	return nil
}
