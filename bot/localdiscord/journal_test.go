package localdiscord

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// keep starts a server on a state file; the test ends it.
func keep(t *testing.T, file string) *Server {
	t.Helper()
	srv := New(Options{StateFile: file})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return srv
}

// copyKept copies what a running server has kept, as a kill would leave it.
func copyKept(t *testing.T, file string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "local.json")
	for _, end := range []string{"", ".journal"} {
		raw, err := os.ReadFile(file + end)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to+end, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filesOf(to), os.DirFS(filesOf(file))); err != nil {
		t.Fatal(err)
	}
	return to
}

// everything does one of each thing that changes the world.
func everything(t *testing.T, srv *Server) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	a := srv.Admin
	raw(t, srv, "PUT", "/applications/"+Application+"/commands", `[{"name":"play","description":"d"}]`)
	check(a.InviteBot(Nassau))
	check(a.AddMember(Nassau, Ching))
	user := a.AddUser("Ann")
	check(a.SetLocale(Jack, "de"))
	check(a.AddMember(Tortuga, user))
	role, err := a.AddRole(Tortuga, "Gunner", PermissionManageThreads)
	check(err)
	check(a.SetRoles(Tortuga, user, role))
	check(a.SetRolePermissions(Tortuga, role, 0))
	den, err := a.AddChannel(Tortuga, "den", Overwrite{ID: Tortuga, Type: OverwriteRole, Deny: PermissionViewChannel})
	check(err)
	check(a.SetOverwrites(den, Overwrite{ID: role, Type: OverwriteRole, Allow: PermissionViewChannel}))
	gone, err := a.AddChannel(Nassau, "gone")
	check(err)
	check(a.DeleteChannel(gone))
	check(a.RemoveMember(Nassau, Ching))
	check(a.DenyBot(NassauBeach, PermissionSendMessages))
	at := "/channels/" + TortugaTables + "/messages"
	var ids []string
	for i := range 4 {
		_, m := raw(t, srv, "POST", at, fmt.Sprintf(`{"content":"%d <@%s>"}`, i, Jack), upload{"0", "a.png", "image/png", picture(4 + i)})
		ids = append(ids, m["id"].(string))
	}
	raw(t, srv, "DELETE", at+"/"+ids[0], "")
	raw(t, srv, "PATCH", at+"/"+ids[1], `{"content":"edited","attachments":[]}`)
	_, thread := raw(t, srv, "POST", at+"/"+ids[2]+"/threads", `{"name":"table two"}`)
	raw(t, srv, "POST", "/channels/"+thread["id"].(string)+"/messages", `{"content":"in it"}`)
	raw(t, srv, "PATCH", "/channels/"+thread["id"].(string), `{"name":"table three"}`)
	check(a.ArchiveThread(thread["id"].(string), true, true))
	raw(t, srv, "POST", "/users/@me/channels", `{"recipient_id":"`+Bart+`"}`)
	_, err = srv.Say(Jack, thread["id"].(string), "late")
	if !errors.Is(err, ErrNotAllowed) {
		t.Fatalf("words in a locked thread: %v", err)
	}
	_, err = srv.Say(Jack, TortugaTavern, "aye")
	check(err)
	check(srv.hub.try(func() error { return srv.client.markRead(Jack, TortugaTables) }))
	check(a.KickBot(Nassau))
	check(a.InviteBot(Nassau))
	check(a.KickBot(Nassau))
}

// savedBy is what a server would write into its state file.
func savedBy(srv *Server) []byte {
	srv.hub.mu.Lock()
	defer srv.hub.mu.Unlock()
	raw, _ := save(srv.hub.state)
	return raw
}

// Whatever changes the world is in the journal once it is answered for: state file and journal
// together give the world as it is in memory, at the start and after the journal was begun anew.
func TestJournalHoldsEveryChange(t *testing.T) {
	file := filepath.Join(t.TempDir(), "local.json")
	srv := keep(t, file)
	for _, when := range []string{"the first time", "on top of a new state file"} {
		everything(t, srv)
		other := keep(t, copyKept(t, file))
		if got, want := savedBy(other), savedBy(srv); !bytes.Equal(got, want) {
			t.Errorf("%s: kept\n%s\nin memory\n%s", when, got, want)
		}
		for _, m := range other.Messages(TortugaTables, Anne) {
			for _, a := range m.Attachments {
				if data, ok := other.Attachment(a.URL); !ok || len(data) != a.Size {
					t.Errorf("%s: the picture of %q has %d bytes, want %d", when, m.Content, len(data), a.Size)
				}
			}
		}
		srv.journal.writing.Lock()
		err := srv.journal.compact()
		srv.journal.writing.Unlock()
		if err != nil {
			t.Fatal(err)
		}
		if other := keep(t, copyKept(t, file)); !bytes.Equal(savedBy(other), savedBy(srv)) {
			t.Errorf("%s: the new state file is not the world in memory", when)
		}
	}
}

// The journal does not grow without limit, and what is not needed any more is removed.
func TestJournalIsBegunAnew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "local.json")
	srv := keep(t, file)
	text := strings.Repeat("x", 2000)
	was := srv.journal.number
	for n := 0; n < 3*journalLimit/2000; n++ {
		if _, err := srv.Say(Anne, TortugaTables, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	if now := srv.journal.number; now < was+2 {
		t.Errorf("a new state file was written %d times", now-was)
	}
	if info, err := os.Stat(journalOf(file)); err != nil || info.Size() > 1000 {
		t.Errorf("the journal after the end: %v, %v", info, err)
	}
	info, err := os.Stat(file)
	if err != nil || info.Size() > 10*maxMessages*2000 {
		t.Errorf("the state file: %v, %v", info.Size(), err)
	}
}

// A journal's last line may be cut off anywhere; all before it counts. A line that is wrong in the
// middle is damage, and so is a state file that is not what was written: each with a sentence that
// names the file and what to do, which is not about the port.
func TestDamagedStateIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "local.json")
	srv := keep(t, file)
	for _, text := range []string{"one", "two", "three"} {
		if _, err := srv.Say(Anne, TortugaTables, text); err != nil {
			t.Fatal(err)
		}
	}
	kept := copyKept(t, file)
	state, _ := os.ReadFile(kept)
	lines, err := os.ReadFile(journalOf(kept))
	if err != nil {
		t.Fatal(err)
	}
	last := bytes.LastIndexByte(bytes.TrimSuffix(lines, []byte{'\n'}), '\n') + 1
	for cut := last; cut < len(lines); cut++ {
		srv := withKept(t, state, lines[:cut])
		if err := srv.Start(); err != nil {
			t.Fatalf("cut off at %d of %d: %v", cut, len(lines), err)
		}
		want := 2
		if cut == len(lines)-1 { // the end of the line alone is missing
			want = 3
		}
		if n := len(srv.Messages(TortugaTables, Anne)); n != want {
			t.Errorf("cut off at %d of %d: %d messages, want %d", cut, len(lines), n, want)
		}
		srv.Close()
	}
	flip := func(raw []byte, at int) []byte {
		raw = bytes.Clone(raw)
		raw[at] ^= 4
		return raw
	}
	var alien stateFile
	if err := json.Unmarshal(state, &alien); err != nil {
		t.Fatal(err)
	}
	alien.Version = 99
	for _, tc := range []struct {
		name         string
		state, lines []byte
		file         string
	}{
		{"a flipped bit in a name", flip(state, bytes.Index(state, []byte("Tortuga"))), lines, ""},
		{"half a state file", state[:len(state)/2], lines, ""},
		{"an empty state file", nil, lines, ""},
		{"the state file of a later version", mustJSON(alien), lines, ""},
		{"an old state file without its bot", []byte(`{"version":1,"last_id":"1","users":[],"guilds":[],"channels":[]}`), nil, ""},
		{"a flipped bit in the journal", state, flip(lines, bytes.Index(lines, []byte("two"))), ".journal"},
		{"a journal without its beginning", state, lines[10:], ".journal"},
	} {
		srv := withKept(t, tc.state, tc.lines)
		err := srv.Start()
		var damaged *DamagedError
		var port *ListenError
		if !errors.As(err, &damaged) || errors.As(err, &port) {
			t.Errorf("%s: %v", tc.name, err)
			srv.Close()
			continue
		}
		if damaged.File != damaged.StateFile+tc.file || !strings.Contains(err.Error(), "Move "+damaged.StateFile) || strings.Contains(err.Error(), "port") {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// withKept is a server that finds these files.
func withKept(t *testing.T, state, lines []byte) *Server {
	t.Helper()
	file := filepath.Join(t.TempDir(), "local.json")
	if err := errors.Join(os.WriteFile(file, state, 0o600), os.WriteFile(journalOf(file), lines, 0o600)); err != nil {
		t.Fatal(err)
	}
	return New(Options{StateFile: file})
}

// A state file of the first version is read; what a killed process was writing is removed; the files
// are for their owner alone.
func TestOldStateIsReadAndLeftoversAreRemoved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "local.json")
	first := keep(t, file)
	if _, err := first.Say(Anne, TortugaTables, "from before"); err != nil {
		t.Fatal(err)
	}
	old := bytes.Replace(savedBy(first), []byte("{"), []byte(`{"version":1,`), 1)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	leftovers := []string{file + newSuffix + "123", journalOf(file) + newSuffix + "9", filepath.Join(filesOf(file), "7"+newSuffix+"1"), filepath.Join(filesOf(file), "115")}
	for _, path := range leftovers {
		if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	other := filepath.Join(filepath.Dir(file), "other"+newSuffix+"1")
	if err := errors.Join(os.WriteFile(file, old, 0o600), os.WriteFile(other, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	second := keep(t, file)
	if all := second.Messages(TortugaTables, Anne); len(all) != 1 || all[0].Content != "from before" {
		t.Errorf("messages %v", all)
	}
	for _, path := range leftovers {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if _, err := os.Stat(other); err != nil {
		t.Errorf("a file of somebody else: %v", err)
	}
	if _, err := second.Say(Anne, TortugaTables, "and now"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{file: 0o600, journalOf(file): 0o600, filesOf(file): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want mode %v", path, info.Mode(), err, want)
		}
	}
}
