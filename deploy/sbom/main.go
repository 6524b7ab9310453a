// Command sbom writes the bill of materials of a Go binary in the JSON format of CycloneDX, from the build information
// in the binary.
//
//	go run ./deploy/sbom BINARY FILE
package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "sbom: name the binary, and the file to write")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// write writes the bill of materials of a binary to a file.
func write(binary, file string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bill(info))
	return errors.Join(err, f.Close())
}

// bill returns the bill of materials: the modules in the binary, and Go's standard library.
func bill(info *buildinfo.BuildInfo) *cdx.BOM {
	root := component(&info.Main)
	root.Type = cdx.ComponentTypeApplication
	list := []cdx.Component{component(&debug.Module{Path: "std", Version: info.GoVersion})}
	needs := []string{list[0].BOMRef}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c := component(m)
		list, needs = append(list, c), append(needs, c.BOMRef)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &root}
	bom.Components = &list
	bom.Dependencies = &[]cdx.Dependency{{Ref: root.BOMRef, Dependencies: &needs}}
	return bom
}

func component(m *debug.Module) cdx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	return cdx.Component{Type: cdx.ComponentTypeLibrary, BOMRef: url, Name: m.Path, Version: m.Version, PackageURL: url}
}
