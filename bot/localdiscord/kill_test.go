package localdiscord

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// childVar tells the test binary that it is the child of TestKilledAtAnyMoment, and on which file.
const childVar = "MARQUE_TEST_LOCAL_CHILD"

// child lets a bot post, edit and delete messages with pictures without end, and says on standard
// output what Discord has answered: "post ID", "edit ID TEXT", "delete ID".
func child(file string) error {
	srv := New(Options{StateFile: file})
	if err := srv.Start(); err != nil {
		return err
	}
	fmt.Println("ready")
	failed := make(chan error)
	for _, channel := range []string{TortugaTables, TortugaTavern, NassauTables} {
		go func() { failed <- chatter(srv, channel) }()
	}
	return <-failed
}

// chatter posts a message, edits it, and now and then deletes it again.
func chatter(srv *Server, channel string) error {
	at := "/channels/" + channel + "/messages"
	board := upload{index: "0", name: "board.png", contentType: "image/png", data: picture(12)}
	for n := 1; ; n++ {
		sent, err := ask(srv, "POST", at, fmt.Sprintf(`{"content":"post %d"}`, n), board)
		if err != nil {
			return err
		}
		id := sent["id"].(string)
		os.Stdout.WriteString("post " + id + "\n")
		if _, err := ask(srv, "PATCH", at+"/"+id, fmt.Sprintf(`{"content":"edit-%d"}`, n)); err != nil {
			return err
		}
		os.Stdout.WriteString(fmt.Sprintf("edit %s edit-%d\n", id, n))
		if n%5 == 0 {
			if _, err := ask(srv, "DELETE", at+"/"+id, ""); err != nil {
				return err
			}
			os.Stdout.WriteString("delete " + id + "\n")
		}
	}
}

func ask(srv *Server, method, path, body string, files ...upload) (map[string]any, error) {
	status, out, err := request(srv, method, path, body, files...)
	if err == nil && status != http.StatusOK && status != http.StatusNoContent {
		err = fmt.Errorf("%s %s: %d %v", method, path, status, out)
	}
	return out, err
}

// What the bot was answered for is there after a kill at any moment: the message, its latest text
// and its picture; what was deleted stays deleted; nothing unfinished is left in the folder.
func TestKilledAtAnyMoment(t *testing.T) {
	times := 40
	if testing.Short() {
		times = 8
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "local.json")
	answered := 0
	for range times {
		told := map[string]string{} // what was answered last, by message
		n := killed(t, exe, file, told)
		answered += n
		lookForAll(t, file, told)
		if t.Failed() {
			return
		}
	}
	t.Logf("killed %d times, %d answers", times, answered)
	if answered < 5*times {
		t.Errorf("only %d answers: the test does not test", answered)
	}
}

// killed runs the child and kills it at a random moment, once it has been heard of.
func killed(t *testing.T, exe, file string, told map[string]string) (answers int) {
	t.Helper()
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childVar+"="+file)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
	if line, err := in.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	var kill *time.Timer
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // a line that was cut off was not told
		}
		if err != nil {
			t.Fatal(err)
		}
		if answers++; answers == 10 {
			kill = time.AfterFunc(time.Duration(rand.IntN(20_000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
			defer kill.Stop()
		}
		words := strings.Fields(line)
		told[words[1]] = words[len(words)-1]
		if words[0] == "delete" {
			told[words[1]] = "deleted"
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
		t.Fatalf("the child was not killed but ended: %v", err)
	}
	return answers
}

// lookForAll starts on the file and compares it with what was answered. What was told as posted may
// have been edited since, and of the fifths what was told as edited may have been deleted, for the
// kill may have come before that was told.
func lookForAll(t *testing.T, file string, told map[string]string) {
	t.Helper()
	srv := New(Options{StateFile: file})
	if err := srv.Start(); err != nil {
		t.Fatal(err)
	}
	defer srv.Close()
	kept := map[string]*Message{}
	oldest := ""
	for _, channel := range []string{TortugaTables, TortugaTavern, NassauTables} {
		all := srv.Messages(channel, Anne)
		if len(all) >= maxMessages && olderID(oldest, all[0].ID) {
			oldest = all[0].ID // older ones were dropped
		}
		for _, m := range all {
			kept[m.ID] = m
		}
	}
	for id, text := range told {
		m := kept[id]
		if olderID(id, oldest) {
			continue
		}
		var n int
		fmt.Sscanf(text, "edit-%d", &n)
		switch {
		case text == "deleted":
			if m != nil {
				t.Errorf("message %s was deleted and is there", id)
			}
		case m == nil && (n == 0 || n%5 != 0):
			t.Errorf("message %s is gone; the last answer was %q", id, text)
		case m == nil:
		case n > 0 && m.Content != text:
			t.Errorf("message %s says %q; it was answered for as %q", id, m.Content, text)
		case len(m.Attachments) != 1:
			t.Errorf("message %s has %d attachments", id, len(m.Attachments))
		default:
			if data, ok := srv.Attachment(m.Attachments[0].URL); !ok || len(data) != m.Attachments[0].Size {
				t.Errorf("the picture of message %s has %d bytes, want %d", id, len(data), m.Attachments[0].Size)
			}
		}
	}
	if left := unfinished(t, file); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// unfinished lists files that were being written.
func unfinished(t *testing.T, file string) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{file + "*" + newSuffix + "*", filepath.Join(filesOf(file), "*"+newSuffix+"*")} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return out
}
