package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"marque/config"
	"marque/games/text/locale"
)

// translated returns a folder that contains the given translation files, by name.
func translated(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, said := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(said), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// "marque texts check" tells a translator which messages are missing. Missing messages are no failure; faulty
// sentences, files and folders are.
func TestTextsCheck(t *testing.T) {
	t.Parallel()
	good := translated(t, map[string]string{"bot.fr.toml": "[\"bot.button.move\"]\nother = \"Jouer\"\n"})
	code, out, errs := said(t, "", "texts", "check", good)
	if code != 0 {
		t.Errorf("what is only unfinished fails: %d, %s", code, errs)
	}
	wantAll(t, out, "fr: 1 of ", "(0%), not offered",
		"bot.button.hand: is missing. Take it from bot.en.toml into bot.fr.toml, and translate it.")

	bad := translated(t, map[string]string{"deck.fr.toml": "[\"deck.alt.stands\"]\nother = \"{{.Place}} (dos)\"\n"})
	code, out, errs = said(t, "", "texts", "check", bad)
	if code != 1 || !strings.Contains(errs, "3 sentences have something wrong") {
		t.Errorf("faults are answered with %d, %s", code, errs)
	}
	wantAll(t, out, "deck.alt.stands: has the argument Place, which there is not in English. "+
		"This sentence has {{.Back}}, {{.Space}}.",
		"deck.alt.stands: lacks the argument Back in the form other. Write {{.Back}} where it is to be said.")

	for dir, want := range map[string]string{
		filepath.Join(good, "none"):                          "there is no folder",
		filepath.Join(good, "bot.fr.toml"):                   "is no folder",
		t.TempDir():                                          "has no file PREFIX.LANGUAGE.toml",
		translated(t, map[string]string{"bot.fr.toml": "["}): "bot.fr.toml: ",
		translated(t, map[string]string{"bot.toml": ""}):     "bot.toml: ",
	} {
		code, _, errs := said(t, "", "texts", "check", dir)
		if code != 1 || !strings.Contains(errs, want) {
			t.Errorf("%s: %d, %q, want %q in it", dir, code, errs, want)
		}
	}
}

// A complete language in the operator's folder is offered in addition to the built-in ones. A missing folder or a
// damaged file is reported at the start.
func TestLocalesOfTheOperator(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	whole := map[string]string{}
	names, err := filepath.Glob("../../games/text/locale/*.en.toml")
	if err != nil || len(names) == 0 {
		t.Fatalf("files %v, %v", names, err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		whole[strings.Replace(filepath.Base(name), ".en.", ".nl.", 1)] = string(b)
	}
	sentences, err := sentencesOf(config.Config{Locales: translated(t, whole)}, log)
	if err != nil {
		t.Fatal(err)
	}
	if got := sentences.Speaker(nil, "nl").Language().String(); got != "nl" {
		t.Errorf("a whole Dutch folder gives %s", got)
	}
	if built, err := locale.Load(); err != nil || built.Speaker(nil, "nl").Language().String() != "en" {
		t.Errorf("without the folder there is Dutch, too; %v", err)
	}
	for dir, want := range map[string]string{
		filepath.Join(t.TempDir(), "none"):                   "MARQUE_LOCALES should be a folder of translations",
		translated(t, map[string]string{"bot.fr.toml": "["}): "bot.fr.toml",
	} {
		if _, err := sentencesOf(config.Config{Locales: dir}, log); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s starts with %v, want %q", dir, err, want)
		}
	}
}
