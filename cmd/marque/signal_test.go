//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"marque/bot/localdiscord"
	"marque/bot/localdiscord/pagetest"
	"marque/bot/timesource/manual"
)

// programVar is the environment variable that makes the test binary run as marque.
const programVar = "MARQUE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVar) != "" {
		main()
		return
	}
	os.Exit(pagetest.Run(func() int { return manual.Run(m) }))
}

// process is marque in a separate process, on its local Discord.
type process struct {
	cmd    *exec.Cmd
	url    string // address of the local Discord's page
	exited chan struct{}
}

// startProcess starts marque in the folder dir and waits until it is ready. env adds environment variables.
func startProcess(t *testing.T, ctx context.Context, dir string, env ...string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.CommandContext(ctx, exe), exited: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stderr = dir, os.Stderr
	p.cmd.Env = append(os.Environ(), programVar+"=1", "DISCORD_TOKEN=", "DISCORD_TOKEN_FILE=", "MARQUE_DATABASE=",
		"MARQUE_METRICS=", "MARQUE_LOCAL_PORT=0", "MARQUE_LOG_LEVEL=error",
		"MARQUE_DATA="+filepath.Join(dir, "data"), "MARQUE_BACKUPS="+filepath.Join(dir, "copies"))
	p.cmd.Env = append(p.cmd.Env, env...)
	said, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	if _, scanned := fmt.Sscanf(line, "marque is ready: open %s in a browser", &p.url); scanned != nil {
		t.Fatalf("the program says %q (%v)", line, err)
	}
	go func() { p.cmd.Wait(); close(p.exited) }()
	return p
}

// A second signal ends the program immediately, even while it is waiting for the operator's hook after the first
// signal. The next start finds the table that was open, and no unfinished file is left.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), operationsTime)
	defer cancel()
	dir := t.TempDir()
	address := &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"}
	manager, err := net.ListenUnixgram("unixgram", address)
	must(t, err)
	defer manager.Close()
	// The hook's child process outlives the hook and keeps its output open.
	fifo, hook := filepath.Join(dir, "fifo"), filepath.Join(dir, "hook")
	must(t, syscall.Mkfifo(fifo, 0o600))
	must(t, os.WriteFile(hook, []byte("#!/bin/sh\ncat '"+fifo+"' >/dev/null\n"), 0o700))

	p := startProcess(t, ctx, dir, "MARQUE_BACKUP_HOOK="+hook, "MARQUE_SHUTDOWN_TIMEOUT=10m",
		"NOTIFY_SOCKET="+address.Name)
	held := make(chan *os.File, 1)
	go func() { // blocks until the hook reads
		if f, err := os.OpenFile(fifo, os.O_WRONLY, 0); err == nil {
			held <- f
		}
	}()
	ws := listen(t, ctx, p.url)
	body, err := json.Marshal(map[string]any{"user": localdiscord.Anne, "channel": localdiscord.TortugaTables,
		"name":    "play",
		"options": map[string]any{"game": "loyal-captain", "computers": 1}})
	must(t, err)
	answered, err := http.Post(p.url+"local/command", "application/json", strings.NewReader(string(body)))
	must(t, err)
	defer answered.Body.Close()
	if answered.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(answered.Body)
		t.Fatalf("/play is answered with %s: %s", answered.Status, said)
	}
	nextBoard(t, ws) // the answer alone does not mean that the table is stored
	select {
	case f := <-held:
		defer f.Close()
	case <-ctx.Done():
		t.Fatal("no copy was handed to the hook")
	}

	must(t, p.cmd.Process.Signal(syscall.SIGTERM))
	must(t, manager.SetReadDeadline(time.Now().Add(operationsTime)))
	for buffer := make([]byte, 1024); ; {
		n, err := manager.Read(buffer)
		must(t, err)
		if string(buffer[:n]) == "STOPPING=1" {
			break
		}
	}
	// The program does not handle further signals from shortly after the first one. The test therefore repeats the
	// second signal until the program ends.
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for ended := false; !ended; {
		if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		select {
		case <-p.exited:
			ended = true
		case <-again.C:
		}
	}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() ||
		status.Signal() != syscall.SIGTERM {
		t.Errorf("after a second signal the program ended with %v, want by the signal", p.cmd.ProcessState)
	}

	for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP} { // SIGHUP is sent when the terminal closes
		if signal.Ignored(s) { // under nohup, child processes ignore it, too
			continue
		}
		p = startProcess(t, ctx, dir)
		must(t, p.cmd.Process.Signal(s))
		<-p.exited
		if !p.cmd.ProcessState.Success() {
			t.Errorf("after another start and %v the program ended with %v", s, p.cmd.ProcessState)
		}
	}
	// The copy that the hook received is complete, and the folders contain only the expected files.
	for folder, known := range map[string][]string{"data": {"local.db", "local.json", "local.json.*"},
		"copies": {"local-????????-??????" + backupSuffix}} {
		list, err := os.ReadDir(filepath.Join(dir, folder))
		must(t, err)
		for _, e := range list {
			if !slices.ContainsFunc(known, func(k string) bool { ok, _ := filepath.Match(k, e.Name()); return ok }) ||
				strings.Contains(e.Name(), ".new-") {
				t.Errorf("in the folder %s is %q", folder, e.Name())
			}
			if strings.HasSuffix(e.Name(), backupSuffix) {
				must(t, checkFile(ctx, filepath.Join(dir, folder, e.Name()), false))
			}
		}
	}
	store, err := openFile(t.Context(), filepath.Join(dir, "data", "local.db"))
	must(t, err)
	defer store.Close()
	if head, err := store.Head(ctx, 1); err != nil || head.Game != "loyal-captain" {
		t.Errorf("the table that was opened is %+v, %v", head, err)
	}
}
