package manual

import (
	"flag"
	"runtime"
	"strconv"
	"testing"
)

// Run is m.Run for tests that mostly wait: for other goroutines, disks and processes. Unless -parallel is set, four of
// them can run in parallel on each processor.
func Run(m *testing.M) int {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0)))
	}
	return m.Run()
}
