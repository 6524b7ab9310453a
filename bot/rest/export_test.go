package rest

import (
	"maps"

	"github.com/bwmarrin/discordgo"
)

// For tests in package rest_test.
const TidyEvery = tidyEvery

var DropIdle = dropIdle

// Buckets returns a limiter's buckets.
func Buckets(limiter *discordgo.RateLimiter) map[string]*discordgo.Bucket {
	limiter.Lock()
	defer limiter.Unlock()
	return maps.Clone(buckets(limiter))
}
