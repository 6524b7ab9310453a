package main

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"marque/bot/metrics"
	"marque/storage"
)

// Build data. In a release, the linker sets the version, the commit and the date of the commit. Any other build has the
// version of the coming release, and finds its commit in the binary's version control data.
var (
	release                    = "1.0.0-rc.1"
	releaseCommit, releaseDate string
)

type versionCommand struct{}

// Run prints the version of this binary.
func (versionCommand) Run(std streams) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this binary does not say how it was built")
	}
	fmt.Fprint(std.out, version(info))
	return nil
}

// thisBuild describes this program for its metrics.
func thisBuild() metrics.Build {
	b := metrics.Build{Version: release, Commit: "unknown", Schema: storage.Schema}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Commit = s.Value
		}
	}
	b.Commit = or(releaseCommit, b.Commit)
	return b
}

// version returns the text that describes a build: version, commit with date, Go version, and schema of the store.
func version(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if releaseCommit != "" {
		settings["vcs.revision"], settings["vcs.time"] = releaseCommit, or(releaseDate, settings["vcs.time"])
	}
	commit := "commit unknown (built without version control)"
	if revision := settings["vcs.revision"]; revision != "" {
		commit = "commit " + revision
		if at := settings["vcs.time"]; at != "" {
			commit += " of " + at
		}
		if settings["vcs.modified"] == "true" {
			commit += ", with changes"
		}
	}
	return fmt.Sprintf("marque %s\n%s\n%s %s/%s\ndatabases of schema %d\n",
		release, commit, info.GoVersion, runtime.GOOS, runtime.GOARCH, storage.Schema)
}
