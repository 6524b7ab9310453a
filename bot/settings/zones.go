package settings

import (
	"context"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"marque/bot/interact"
	"marque/bot/table/clock"
)

// completeZone returns the time zones in zones that contain the typed text, and the typed zone itself if it is
// known.
func completeZone(_ context.Context, r *interact.Request) []*discordgo.ApplicationCommandOptionChoice {
	typed := strings.ToLower(strings.ReplaceAll(r.Option("zone"), " ", "_"))
	names := zones
	if _, known := clock.KnownZone(r.Option("zone")); known {
		names = append([]string{r.Option("zone")}, names...)
	}
	var out []*discordgo.ApplicationCommandOptionChoice
	for i, z := range names {
		if strings.Contains(strings.ToLower(z), typed) && slices.Index(names, z) == i {
			out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: z, Value: z})
		}
	}
	return out
}

var zones = []string{
	"UTC", "Europe/London", "Europe/Berlin", "Europe/Paris", "Europe/Amsterdam", "Europe/Madrid", "Europe/Rome",
	"Europe/Vienna", "Europe/Zurich",
	"Europe/Stockholm", "Europe/Warsaw", "Europe/Athens", "Europe/Kyiv", "Europe/Istanbul", "Europe/Moscow",
	"Europe/Lisbon", "America/New_York",
	"America/Chicago", "America/Denver", "America/Los_Angeles", "America/Toronto", "America/Mexico_City",
	"America/Bogota", "America/Sao_Paulo",
	"America/Argentina/Buenos_Aires", "America/Anchorage", "Pacific/Honolulu", "Africa/Cairo", "Africa/Lagos",
	"Africa/Nairobi", "Africa/Johannesburg",
	"Asia/Jerusalem", "Asia/Dubai", "Asia/Tehran", "Asia/Karachi", "Asia/Kolkata", "Asia/Dhaka", "Asia/Bangkok",
	"Asia/Jakarta", "Asia/Shanghai",
	"Asia/Hong_Kong", "Asia/Singapore", "Asia/Manila", "Asia/Seoul", "Asia/Tokyo", "Australia/Perth",
	"Australia/Adelaide", "Australia/Brisbane",
	"Australia/Sydney", "Pacific/Auckland",
}
