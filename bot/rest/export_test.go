package rest

import (
	"maps"

	"github.com/bwmarrin/discordgo"
)

// For tests of this package together with others.
const TidyEvery = tidyEvery

var DropIdle = dropIdle

// Buckets are a limiter's buckets.
func Buckets(limiter *discordgo.RateLimiter) map[string]*discordgo.Bucket {
	limiter.Lock()
	defer limiter.Unlock()
	return maps.Clone(buckets(limiter))
}
