package manual

import (
	"flag"
	"runtime"
	"strconv"
	"testing"
)

// Run is m.Run for tests that mostly wait: for goroutines of others, for disks and for processes. Unless -parallel says
// otherwise, there is room for four of them at once on each processor.
func Run(m *testing.M) int {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0)))
	}
	return m.Run()
}
