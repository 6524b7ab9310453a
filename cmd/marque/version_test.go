package main

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// A build that is not a release reports the coming release and its own commit. The changelog has a section for the
// coming release.
func TestVersionSaysWhatABuildSays(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.99", Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc123"}, {Key: "vcs.time", Value: "2026-02-03T04:05:06Z"},
		{Key: "vcs.modified", Value: "true"}}}
	out := version(info)
	wantAll(t, out, "marque "+release+"\n", "commit abc123 of 2026-02-03T04:05:06Z, with changes\n", "go1.99 ", "schema ")
	info.Settings = nil
	wantAll(t, version(info), "commit unknown")
	if heading := "## [" + strings.TrimSuffix(release, "-rc.1") + "]"; !strings.Contains(projectFile(t, "CHANGELOG.md"),
		heading) {
		t.Errorf("marque version says %s, and the changelog has no section %s", release, heading)
	}
}

// A release reports its version, commit and date, even if the binary has no version control data.
func TestVersionOfARelease(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.99"}
	before := release
	t.Cleanup(func() { release, releaseCommit, releaseDate = before, "", "" })
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
