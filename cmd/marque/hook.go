package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// hookTime limits how long MARQUE_BACKUP_HOOK may take for one file.
	hookTime = 30 * time.Minute
	// hookLeave is how long the program's output may stay open after the program has ended or hookTime is over.
	hookLeave = 10 * time.Second
	// hookSaid is the number of bytes from the end of the program's error output that are logged.
	hookSaid = 300
)

// carrier passes files to the program MARQUE_BACKUP_HOOK, which carries them off to another machine.
type carrier struct {
	program string
	limit   time.Duration // time limit for one file
	done    string        // path of the file that records what was carried off
}

// carried records which files were last carried off.
type carried struct {
	Copy      string `json:"copy"`      // name of the copy
	Deletions string `json:"deletions"` // checksum of the list of deletions
}

func newCarrier(program, database, folder string) *carrier {
	if program == "" {
		return nil
	}
	return &carrier{program: program, limit: hookTime, done: filepath.Join(folder, copyPrefix(database)+"carried.json")}
}

// carry passes a copy and the list of deletions to the program, unless it has already carried them off. copied is "" if
// there is no copy. After a failure, the next call passes the file again.
func (c *carrier) carry(ctx context.Context, copied, list string) error {
	was, err := c.last()
	if err != nil {
		was = carried{} // both files are carried off again
	}
	before := was
	var failed error
	if name := filepath.Base(copied); copied != "" && name != was.Copy {
		if failed = c.run(ctx, copied); failed == nil {
			was.Copy = name
		}
	}
	if sum := checksum(list); sum != was.Deletions && failed == nil {
		if failed = c.run(ctx, list); failed == nil {
			was.Deletions = sum
		}
	}
	if was == before && err == nil {
		return failed
	}
	now, err := json.Marshal(was)
	if err == nil {
		err = os.WriteFile(c.done, now, 0o600)
	}
	return errors.Join(failed, err)
}

// last returns the record of what was last carried off; the zero value if there is none.
func (c *carrier) last() (was carried, err error) {
	b, err := os.ReadFile(c.done)
	if errors.Is(err, fs.ErrNotExist) {
		return was, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &was)
	}
	return was, err
}

// checksum returns the checksum of a small file, or "" if the file cannot be read.
func checksum(file string) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// run runs the program with the path of the file as its only argument, and with an environment without the token.
func (c *carrier) run(ctx context.Context, file string) error {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	path, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, c.program, path)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "DISCORD_TOKEN") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.WaitDelay = hookLeave
	var said tail
	cmd.Stdout, cmd.Stderr = io.Discard, &said
	err = cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fmt.Errorf("it took longer than %v and was ended", c.limit)
	}
	if err != nil && len(said) > 0 {
		err = fmt.Errorf("%w: %s", err, strings.ToValidUTF8(strings.TrimSpace(string(said)), "?"))
	}
	return err
}

// tail is a writer that keeps the last hookSaid bytes.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	*t = append(*t, p...)
	*t = (*t)[max(0, len(*t)-hookSaid):]
	return len(p), nil
}
