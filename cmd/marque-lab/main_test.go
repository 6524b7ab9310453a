package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// said runs a command line and returns its exit code and its output.
func said(t *testing.T, in string, args ...string) (code int, out, err string) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(context.Background(), args, streams{strings.NewReader(in), &o, &e})
	return code, o.String(), e.String()
}

func wantAll(t *testing.T, out string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(out, w) {
			t.Errorf("no %q in\n%s", w, out)
		}
	}
}
