package rest

import (
	"maps"

	"github.com/bwmarrin/discordgo"
)

// TidyEvery is tidyEvery, for tests in package rest_test.
const TidyEvery = tidyEvery

var DropIdle = dropIdle

// Buckets returns a copy of a limiter's buckets, by key.
func Buckets(limiter *discordgo.RateLimiter) map[string]*discordgo.Bucket {
	limiter.Lock()
	defer limiter.Unlock()
	return maps.Clone(buckets(limiter))
}
