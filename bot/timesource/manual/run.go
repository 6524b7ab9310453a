package manual

import (
	"flag"
	"runtime"
	"strconv"
	"testing"
)

// Run runs the tests of a package whose tests mostly wait for other goroutines, disks and processes. Unless -parallel
// is set, up to four times GOMAXPROCS tests run in parallel.
func Run(m *testing.M) int {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0)))
	}
	return m.Run()
}
