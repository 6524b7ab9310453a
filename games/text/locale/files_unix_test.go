//go:build unix

package locale

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// Check refuses a file that is not a translation with a short error that names the file. It does not read the whole
// file, which can be endless. Load refuses too many files.
func TestFilesThatAreNoTranslations(t *testing.T) {
	const notRegular = "bot.de.toml is a folder, a pipe or a device"
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, "[\"bot.x%d\"]\nother = \"x\"\n", i)
	}
	for name, tc := range map[string]struct {
		make func(path string) error
		want string // "" if the file is accepted
	}{
		"a folder":          {func(p string) error { return os.Mkdir(p, 0o700) }, notRegular},
		"a pipe":            {func(p string) error { return syscall.Mkfifo(p, 0o600) }, notRegular},
		"a device":          {func(p string) error { return os.Symlink("/dev/zero", p) }, notRegular},
		"a link to nothing": {func(p string) error { return os.Symlink("nowhere", p) }, "bot.de.toml: no such file"},
		"a file with holes": {func(p string) error {
			return errors.Join(os.WriteFile(p, nil, 0o600), os.Truncate(p, 1<<40))
		}, "bot.de.toml is larger than 1 MiB"},
		"a long line": {func(p string) error {
			return os.WriteFile(p, []byte("\n"+strings.Repeat("a.", 100_000)+"b = 1"), 0o600)
		}, "bot.de.toml: line 2 is longer than 16 KiB"},
		"long lines": {func(p string) error {
			line := strings.Repeat("a.", 8000) + "b"
			return os.WriteFile(p, []byte("["+line+"]\n["+line+"]\n"), 0o600)
		}, "bot.de.toml"},
		"brackets in brackets": {func(p string) error {
			return os.WriteFile(p, []byte("x = "+strings.Repeat("[\n", 300_000)), 0o600)
		}, "bot.de.toml"},
		"no text": {func(p string) error {
			return os.WriteFile(p, []byte("\xff\xfe\x00"), 0o600)
		}, "bot.de.toml"},
		"many sentences": {func(p string) error { return os.WriteFile(p, []byte(many.String()), 0o600) }, ""},
	} {
		folder := t.TempDir()
		if err := tc.make(folder + "/bot.de.toml"); err != nil {
			t.Fatal(name, err)
		}
		_, err := Check(os.DirFS(folder))
		if (err == nil) != (tc.want == "") || err != nil && (len(err.Error()) > 400 ||
			!strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		t.Log(name, err)
	}
	own := fstest.MapFS{}
	for i := range maxFiles + 1 {
		own[fmt.Sprintf("bot%d.de.toml", i)] = &fstest.MapFile{}
	}
	if _, err := Load(own); err == nil || !strings.Contains(err.Error(), "at most 1000 are read") {
		t.Errorf("%d files: %v", len(own), err)
	}
}
