package main

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestVersionSaysWhatABuildSays(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.99", Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc123"}, {Key: "vcs.time", Value: "2026-02-03T04:05:06Z"},
		{Key: "vcs.modified", Value: "true"}}}
	out := version(info)
	wantAll(t, out, "marque v1.2.3\n", "commit abc123 of 2026-02-03T04:05:06Z, with changes\n", "go1.99 ", "schema ")
	info.Main.Version, info.Settings = "", nil
	wantAll(t, version(info), "marque (devel)\n", "commit unknown")
}

// A release says what it was built as, even when the build has no access to version control.
func TestVersionOfARelease(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.99", Main: debug.Module{Version: "(devel)"}}
	t.Cleanup(func() { release, releaseCommit, releaseDate = "", "", "" })
	release, releaseCommit, releaseDate = "1.2.3", "abc123", "2026-02-03T04:05:06Z"
	wantAll(t, version(info), "marque 1.2.3\n", "commit abc123 of 2026-02-03T04:05:06Z\n")
}

func TestVersionCommand(t *testing.T) {
	code, out, errs := said(t, "", "version")
	if code != 0 || errs != "" {
		t.Fatalf("version: %d, %q", code, errs)
	}
	wantAll(t, out, "marque ", "commit ", runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH, "databases of schema ")
}
