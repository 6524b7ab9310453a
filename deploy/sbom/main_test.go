package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// The bill of a binary names each module of its build information, with the version, and can be read as CycloneDX.
func TestTheBillNamesEveryModule(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Skip("this test binary does not say what is in it")
	}
	file := filepath.Join(t.TempDir(), "bill.json")
	if err := write(self, file); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(f, cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, c := range *bom.Components {
		listed[c.PackageURL] = true
	}
	for _, m := range info.Deps {
		if !listed["pkg:golang/"+m.Path+"@"+m.Version] {
			t.Errorf("%s %s is not in the bill", m.Path, m.Version)
		}
	}
	t.Logf("%d components, of %s", len(listed), bom.Metadata.Component.Name)
	if len(listed) < len(info.Deps)+1 || !strings.Contains(bom.Metadata.Component.Name, "marque") {
		t.Errorf("%d components of %q for %d modules and Go", len(listed), bom.Metadata.Component.Name, len(info.Deps))
	}
	if err := write(filepath.Join(t.TempDir(), "none"), file); err == nil {
		t.Error("a binary that is not there has a bill")
	}
}
