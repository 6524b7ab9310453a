package localdiscord

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// keep starts a server on a state file, and closes the server when the test ends.
func keep(t *testing.T, file string) *Server {
	t.Helper()
	srv := New(Options{Requests: Unlimited, StateFile: file})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return srv
}

// everything makes changes of many kinds to the world.
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
		_, m := raw(t, srv, "POST", at, fmt.Sprintf(`{"content":"%d <@%s>"}`, i, Jack),
			upload{"0", "a.png", "image/png", picture(4 + i)})
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

// savedBy returns the state file that a server would write.
func savedBy(srv *Server) []byte {
	srv.hub.mu.Lock()
	defer srv.hub.mu.Unlock()
	raw, _ := save(srv.hub.state)
	return raw
}

// Changes to the world are kept across repeated restarts, with the attachments of all messages and no others. Only
// the owner of the files may read them.
func TestEveryChangeIsKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "local.json")
	var want []byte
	for _, when := range []string{"at the start", "after a restart", "after two"} {
		srv := keep(t, file)
		if got := savedBy(srv); want != nil && !bytes.Equal(got, want) {
			t.Errorf("%s: kept\n%s\nin memory was\n%s", when, got, want)
		}
		attached := 0
		for id := range srv.hub.state.channels {
			for _, m := range srv.Messages(id, Anne) {
				for _, a := range m.Attachments {
					attached++
					if data, ok := srv.Attachment(a.URL); !ok || len(data) != a.Size {
						t.Errorf("%s: the picture of %q has %d bytes, want %d", when, m.Content, len(data), a.Size)
					}
				}
			}
		}
		if there, err := os.ReadDir(filesOf(file)); err != nil || len(there) != attached {
			t.Errorf("%s: %d files for %d attachments, %v", when, len(there), attached, err)
		}
		everything(t, srv)
		want = savedBy(srv)
		if err := srv.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]os.FileMode{file: 0o600, filesOf(file): 0o700 | os.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v; want mode %v", path, info.Mode(), err, want)
		}
	}
}

// The state file is replaced soon after a change, while the server runs. A failure is logged once, and so is the next
// success.
func TestStateIsWrittenMeanwhile(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "local.json")
		var log bytes.Buffer
		srv := New(Options{Requests: Unlimited, StateFile: file, Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err := srv.saver.open(); err != nil {
			t.Fatal(err)
		}
		srv.hub.saver = srv.saver
		defer srv.Close()
		says := func(text string, want bool) {
			t.Helper()
			if _, err := srv.Say(Anne, TortugaTables, text); err != nil {
				t.Fatal(err)
			}
			time.Sleep(3 * savePause)
			synctest.Wait()
			if raw, err := os.ReadFile(file); err != nil || bytes.Contains(raw, []byte(text)) != want {
				t.Errorf("%q is in the state file: %v (%v), want %v", text, !want, err, want)
			}
		}
		says("one", true)
		inTheWay := file + ".new"
		if err := os.Mkdir(inTheWay, 0o700); err != nil {
			t.Fatal(err)
		}
		says("two", false)
		says("three", false)
		if n := strings.Count(log.String(), "is not kept"); n != 1 {
			t.Errorf("the log says %d times that nothing is kept:\n%s", n, &log)
		}
		if err := os.Remove(inTheWay); err != nil {
			t.Fatal(err)
		}
		says("four", true)
		if n := strings.Count(log.String(), "is kept again"); n != 1 {
			t.Errorf("the log says %d times that it is kept again:\n%s", n, &log)
		}
	})
}

// A damaged state file prevents the start, and is not changed. The error names the file, and does not mention the port.
func TestDamagedStateIsNamed(t *testing.T) {
	t.Parallel()
	state := savedBy(keep(t, filepath.Join(t.TempDir(), "local.json")))
	for name, state := range map[string][]byte{
		"half a state file":                 state[:len(state)/2],
		"an empty state file":               nil,
		"the state file of another version": bytes.Replace(state, []byte(`"version":3`), []byte(`"version":99`), 1),
		"a state file without its bot":      []byte(`{"version":3,"last_id":"1","users":[],"guilds":[],"channels":[]}`),
	} {
		file := filepath.Join(t.TempDir(), "local.json")
		if err := os.WriteFile(file, state, 0o600); err != nil {
			t.Fatal(err)
		}
		srv := New(Options{Requests: Unlimited, StateFile: file})
		err := srv.Start()
		var damaged *DamagedError
		var port *ListenError
		if !errors.As(err, &damaged) || errors.As(err, &port) {
			t.Errorf("%s: %v", name, err)
			srv.Close()
			continue
		}
		if damaged.StateFile != file || !strings.Contains(err.Error(), file+" is damaged (") ||
			strings.Contains(err.Error(), "port") {
			t.Errorf("%s: %v", name, err)
		}
		if kept, err := os.ReadFile(file); err != nil || !bytes.Equal(kept, state) {
			t.Errorf("%s: the file was changed, %v", name, err)
		}
	}
}
