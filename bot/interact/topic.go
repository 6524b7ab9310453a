package interact

import "slices"

// Topic is a group of commands for one purpose, which has a page of /help. Its sentences are "bot.help.topic.KEY" and
// "bot.help.about.KEY".
type Topic string

// The topics. They are parts of custom_ids.
const (
	TopicPlay    Topic = "play"
	TopicTurn    Topic = "turn"
	TopicLook    Topic = "look"
	TopicSeats   Topic = "seats"
	TopicCompete Topic = "compete"
	TopicLeagues Topic = "leagues"
	TopicMe      Topic = "me"
	TopicServer  Topic = "server"
)

// Topics returns all topics, in the order in which people need them.
func Topics() []Topic {
	return []Topic{TopicPlay, TopicTurn, TopicLook, TopicSeats, TopicCompete, TopicLeagues, TopicMe, TopicServer}
}

// Link returns a mention of a slash command. A click on it begins to type the command.
func (r *Request) Link(name string) string { return r.registry.link(name) }

// Offered returns the commands of a topic that the user can be expected to use in this place, in the order of
// declaration. Only moderators get commands with restricted access.
func (r *Request) Offered(topic Topic) []Command {
	return slices.DeleteFunc(slices.Clone(r.registry.commands), func(c Command) bool {
		return c.Topic != topic || r.Where != OnServer && !c.Anywhere || c.Access != Everybody && !r.User.Moderator
	})
}
