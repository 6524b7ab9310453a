package bot_test

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// Most of what these tests do is to wait for one another's goroutines: more of them run at once than there are processors,
// unless -parallel says otherwise.
func TestMain(m *testing.M) {
	flag.Parse()
	if !given("test.parallel") {
		_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.GOMAXPROCS(0)))
	}
	os.Exit(m.Run())
}

func given(name string) (yes bool) {
	flag.Visit(func(f *flag.Flag) { yes = yes || f.Name == name })
	return yes
}
