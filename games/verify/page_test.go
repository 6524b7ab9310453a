package verify_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"marque/games"
	"marque/games/catalog"
	"marque/games/fair"
	"marque/games/verify"
)

// page returns docs/fairness.md, which contains a checker and an example.
func page(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "fairness.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// block returns the page's first code block in a language that has the text begins at its start.
func block(t *testing.T, page, language, begins string) string {
	t.Helper()
	m := regexp.MustCompile("(?s)```" + language + "\n(" + regexp.QuoteMeta(begins) + ".*?)```").FindStringSubmatch(
		page)
	if m == nil {
		t.Fatalf("the page has no block that begins with %q", begins)
	}
	return m[1]
}

// tampered returns forgeries of a record, keyed by the kind of forgery.
func tampered(t *testing.T, text string) map[string]string {
	t.Helper()
	r, err := decode(t, text)
	if err != nil {
		t.Fatal(err)
	}
	forged := map[string]string{}
	seed := []byte(r.Seed)
	seed[5] = "1032547698badcfe"[strings.IndexByte("0123456789abcdef", seed[5])]
	forged["another seed"] = strings.Replace(text, "seed: "+r.Seed, "seed: "+string(seed), 1)
	other, _ := fair.ParseSeed(string(seed))
	forged["another seed with its commitment"] = strings.Replace(forged["another seed"], r.Header.Commitment,
		other.Commitment(), 1)
	join := r.Header.Inputs[1]
	forged["another join"] = strings.Replace(text, join, join[:len(join)-1]+string('0'+(join[len(join)-1]-'0'+1)%10), 1)
	seating := r.Header.Seating
	forged["another seating"] = strings.Replace(text, "seating: "+fair.Numbers(seating),
		"seating: "+fair.Numbers(append(slices.Clone(seating[1:]), seating[0])), 1)
	forged["no seating"] = strings.Replace(text, "seating: "+fair.Numbers(seating)+"\n", "", 1)
	forged["carriage returns"] = strings.ReplaceAll(text, "\n", "\r\n")
	forged["a blank behind an input"] = strings.Replace(text, join+"\n", join+" \n", 1)
	forged["an id with a leading zero"] = strings.Replace(text, "input: open ", "input: open 0", 1)
	forged["another version"] = strings.Replace(text, "fairness: 4", "fairness: 2", 1)
	// Another interaction can give the same die, but not the same dice for the whole game.
	others := regexp.MustCompile(`played: (\d+) \d+`).ReplaceAllString(text, "played: $1 1297650399999999999")
	forged["other interactions"] = others
	// Change a die or a card to the next different outcome in the log, and remove the later entries.
	for i, e := range r.Log {
		if e.Seat != games.Chance {
			continue
		}
		for _, later := range r.Log[i+1:] {
			if later.Seat == games.Chance && later.Text != e.Text && strings.Fields(later.Text)[0] == strings.Fields(
				e.Text)[0] {
				cut := r
				cut.Digest, cut.Ending = "", games.NotEnded
				cut.Log = append(append([]games.Entry(nil), r.Log[:i]...),
					games.Entry{Seat: games.Chance, Text: later.Text})
				forged["another die or card"] = cut.Encode()
				return forged
			}
		}
	}
	return forged
}

// lastInteraction returns the number, counted from 1, of the last log entry with an interaction, and that interaction's
// id. The number is 0 if there is none.
func lastInteraction(log []games.Entry) (n int, id string) {
	for i, e := range log {
		if e.Interaction != "" {
			n, id = i+1, e.Interaction
		}
	}
	return n, id
}

// The checker on the page and an independent checker agree with this program on genuine and forged records of every
// game.
func TestThePagesCheckerAgrees(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("skipped: there is no python3 here to run the page's checker")
	}
	text := page(t)
	checker := block(t, text, "python", "import")
	if lines := strings.Count(checker, "\n"); lines > 70 {
		t.Errorf("the checker has %d lines, want at most 70", lines)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "fair.py")
	if err := os.WriteFile(program, []byte(checker), 0o600); err != nil {
		t.Fatal(err)
	}
	records := map[string]string{"the example": block(t, text, "", "marque record 1")}
	for _, g := range catalog.Games {
		least, most := g.Seats()
		for seats := least; seats <= most; seats++ {
			records[fmt.Sprintf("%s of %d", g.Key(), seats)] = played(t, g, seats).Encode()
		}
		records[g.Key()+", a rematch on the page"] = rematched(t, g).Encode()
	}
	type asked struct {
		name, how, record string // how is "" for a genuine record
	}
	var all []asked
	for name, record := range records {
		all = append(all, asked{name, "", record})
		for how, forged := range tampered(t, record) {
			if forged == record {
				t.Errorf("%s, %s: nothing was changed", name, how)
			}
			if !hasChance(t, record) && (how == "another join" || how == "other interactions" ||
				how == "another seed with its commitment") {
				continue // only the seats are drawn, so another draw can give the same record
			}
			all = append(all, asked{name, how, forged})
		}
	}
	// One interpreter runs the page's program, unchanged, for each record.
	const loop = `import runpy, sys
checker, paths = sys.argv[1], sys.argv[2:]
for path in paths:
    sys.argv[1:] = [path]
    try:
        runpy.run_path(checker)
    except SystemExit as e:
        print(e.code)
`
	args := []string{"-c", loop, program}
	for i, a := range all {
		path := filepath.Join(dir, fmt.Sprintf("%d.txt", i))
		if err := os.WriteFile(path, []byte(a.record), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	out, err := exec.Command(python, args...).CombinedOutput()
	said := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(said) != len(all) {
		t.Fatalf("%v: %d answers to %d records:\n%s", err, len(said), len(all), out)
	}
	for i, a := range all {
		r, ours := decode(t, a.record)
		if ours == nil {
			_, ours = verify.Record(r, catalog.Find)
		}
		want := "fair: "
		if a.how != "" {
			want = "NOT FAIR: "
		}
		if (ours == nil) != (a.how == "") || !strings.HasPrefix(said[i], want) {
			t.Errorf("%s, %s: marque says %v, the checker %q", a.name, a.how, ours, said[i])
		}
		if strange := stranger(a.record); (strange == nil) != (a.how == "") {
			t.Errorf("%s, %s: marque says %v, a stranger %v", a.name, a.how, ours, strange)
		}
	}
	t.Logf("%d records in order, %d tampered with", len(records), len(all)-len(records))
}

// hasChance reports whether the game of a record has dice or cards.
func hasChance(t *testing.T, record string) bool {
	t.Helper()
	r, err := decode(t, record)
	if err != nil {
		t.Fatal(err)
	}
	g, ok := catalog.Find(r.Header.Game)
	if !ok {
		t.Fatalf("no game %q", r.Header.Game)
	}
	return g.Traits().Chance
}

// The page's example shows the bytes that are hashed.
func TestThePagesExample(t *testing.T) {
	text := page(t)
	r, err := decode(t, block(t, text, "", "marque record 1"))
	if err != nil {
		t.Fatal(err)
	}
	message, err := hex.DecodeString(strings.Join(strings.Fields(block(t, text, "", "0000000000000006")), ""))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := hex.DecodeString(r.Seed)
	if err != nil {
		t.Fatal(err)
	}
	mac := hmac.New(sha256.New, seed)
	mac.Write(message)
	sum := hex.EncodeToString(mac.Sum(nil))
	if want := strings.TrimSpace(block(t, text, "", sum[:8])); want != sum {
		t.Errorf("the page says %s, the message gives %s", want, sum)
	}
	if !strings.Contains(text, fmt.Sprintf("has %d bytes", len(message))) {
		t.Errorf("the page does not say that the message has %d bytes", len(message))
	}
	n, id := lastInteraction(r.Log[:2])
	if got := fair.Draw(fair.Seed(seed), append(slices.Clone(r.Header.Inputs), fair.Played(n, id)), 2,
		3); r.Log[2].Text != fmt.Sprint("roll ", got+1) {
		t.Errorf("the draw at place 2 is %d and the record says %q", got, r.Log[2].Text)
	}
	if print := fair.Fingerprint(r.Header.Commitment, r.Header.Inputs); !strings.Contains(text, "`"+print+"`") {
		t.Errorf("the page does not say the fingerprint of the beginning, %s", print)
	}
}
