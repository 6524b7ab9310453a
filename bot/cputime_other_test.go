//go:build !unix

package bot_test

import "time"

func processorTime() time.Duration { return 0 }
