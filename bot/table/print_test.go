package table_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
)

// printings returns v as packages fmt, encoding/json and log/slog print it.
func printings(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%v\n%+v\n%#v\n%s\n%x\n%q\n", v, v, v, v, v, v)
	j, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	b.Write(j)
	slog.New(slog.NewTextHandler(&b, nil)).Info("t", "v", v)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("t", "v", v)
	return b.String()
}
