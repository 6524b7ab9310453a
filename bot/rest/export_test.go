package rest

import (
	"maps"

	"github.com/bwmarrin/discordgo"
)

// For tests of other packages' parts with this one.
const TidyEvery = tidyEvery

var DropIdle = dropIdle

// Buckets are the buckets of a limiter.
func Buckets(limiter *discordgo.RateLimiter) map[string]*discordgo.Bucket {
	limiter.Lock()
	defer limiter.Unlock()
	return maps.Clone(buckets(limiter))
}
