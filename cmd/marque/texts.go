package main

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/text/language"

	"marque/config"
	"marque/games/text/locale"
)

type textsCommand struct {
	Check textsCheckCommand `cmd:"" help:"Say how far the translations in a folder are, and what is wrong with them."`
}

// textsCheckCommand checks translations.
type textsCheckCommand struct {
	Folder string `arg:"" name:"dir" help:"A folder of files PREFIX.LANGUAGE.toml, such as bot.fr.toml."`
}

// Run prints for each language how complete it is, which messages are missing, and which are wrong and how to fix them.
// It fails if a message is wrong, but not if messages are missing.
func (c textsCheckCommand) Run(std streams) error {
	folder, err := folderOf(c.Folder)
	if err != nil {
		return err
	}
	languages, err := locale.Check(folder)
	if err != nil {
		return err
	}
	if len(languages) == 0 {
		return fmt.Errorf("%s has no file PREFIX.LANGUAGE.toml, such as bot.fr.toml", c.Folder)
	}
	wrong := 0
	for _, l := range languages {
		fmt.Fprintln(std.out, howFar(l))
		for _, f := range l.Faults {
			fmt.Fprintf(std.out, "  %s. %s\n", f, f.Do)
		}
		for _, id := range l.Missing {
			prefix, _, _ := strings.Cut(id, ".")
			fmt.Fprintf(std.out, "  %s: is missing. Take it from %s.en.toml into %s.%s.toml, and translate it.\n", id, prefix,
				prefix, l.Language)
		}
		wrong += len(l.Faults)
	}
	if wrong > 0 {
		return fmt.Errorf("%d sentences have something wrong with them", wrong)
	}
	return nil
}

// howFar returns a line that says how complete a language is.
func howFar(l locale.Coverage) string {
	line := fmt.Sprintf("%s: %d of %d sentences (%d%%)", l.Language, l.Said, l.Of, 100*l.Said/max(1, l.Of))
	if l.Complete() {
		return line + ", offered"
	}
	return line + ", not offered"
}

// folderOf returns a folder as an fs.FS. It returns an error if the folder does not exist.
func folderOf(path string) (fs.FS, error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no folder %s", path)
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is no folder", path)
	}
	return os.DirFS(path), nil
}

// sentencesOf loads all messages, including the operator's translations, and logs which languages are not offered and
// why.
func sentencesOf(cfg config.Config, log *slog.Logger) (*locale.Catalogue, error) {
	var own []fs.FS
	if cfg.Locales != "" {
		folder, err := folderOf(cfg.Locales)
		if err != nil {
			return nil, fmt.Errorf("MARQUE_LOCALES should be a folder of translations: %w", err)
		}
		own = append(own, folder)
	}
	sentences, err := locale.Load(own...)
	if err != nil {
		return nil, fmt.Errorf("MARQUE_LOCALES has a file that cannot be used: %w", err)
	}
	for _, l := range sentences.Coverage() {
		if l.Complete() {
			continue
		}
		var wrong []string
		for _, f := range l.Faults[:min(3, len(l.Faults))] {
			wrong = append(wrong, f.String())
		}
		what := "a language is not offered, because it is not complete"
		if l.Language == language.English {
			what = "the folder's English sentences are not used, because something is wrong with them"
		}
		log.Warn(what+" (marque texts check lists what it is)",
			"language", l.Language, "sentences", l.Said, "of", l.Of, "wrong", strings.Join(wrong, "; "))
	}
	return sentences, nil
}
