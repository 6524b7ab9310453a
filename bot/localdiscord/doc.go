// Package localdiscord is a Discord server in miniature: it speaks the gateway and the REST
// interface of Discord over loopback, well enough that an unmodified discordgo session cannot tell
// the difference, and serves a web page on which one person sits in every chair.
//
// It has two uses. `marque` without a token runs the bot against it, as a demo; and every
// end-to-end test of the bot runs against it. It therefore refuses what Discord refuses, with
// Discord's status codes, error codes and error trees: limits on messages, components and commands,
// late and double replies, missing permissions, expired tokens.
//
// # Wiring a session
//
//	srv := localdiscord.New(localdiscord.Options{})
//	if err := srv.Start(); err != nil { … }
//	defer srv.Close()
//
//	session, _ := discordgo.New("Bot " + srv.Token())
//	session.Client = srv.HTTPClient() // discord.com and its CDN now mean this server; any other host is refused
//	session.ShouldReconnectOnError = false // in tests, before Close
//	err := session.Open()
//
// Nothing global is touched, so servers and sessions can run side by side.
//
// # Acting as a user
//
// The world is always the same at the start: the users [Anne], [Jack], [Mary], [Bart], [Grace] and
// [Ching], the servers [Tortuga] and [Nassau] and their channels, all with fixed ids. Anne owns
// Tortuga and Jack owns Nassau; Mary may manage both servers, Bart may manage neither; Grace
// accepts no direct messages; Ching is a member of Nassau alone. Everybody in a server sees its
// channels, but for [TortugaCabin], which is Anne's and Mary's. [Server.Admin] adds more users, servers, channels,
// roles and overwrites.
//
//	reply, err := srv.Command(ctx, localdiscord.Anne, localdiscord.TortugaTables, "play", localdiscord.Opt("game", "pirat"))
//	msg, err := reply.Message(ctx)              // waits until a deferred reply has been filled in
//	button, ok := msg.Button("Join")            // by label or custom_id
//	reply, err = srv.Click(ctx, localdiscord.Jack, msg.ID, button.CustomID)
//	reply, err = srv.Select(ctx, localdiscord.Jack, msg.ID, "move", "sail")
//	reply, err = srv.SubmitModal(ctx, localdiscord.Jack, reply.Modal, localdiscord.Opt("text", "9 10"))
//	choices, err := srv.Autocomplete(ctx, localdiscord.Jack, channel, "move", "to", localdiscord.Opt("to", "1"))
//	all := srv.Messages(channel, localdiscord.Jack) // ephemeral messages are there for their addressee alone
//	msg, err = srv.WaitMessage(ctx, channel, localdiscord.Jack, func(m *localdiscord.Message) bool { … })
//	png, ok := srv.Attachment(msg.Pictures()[0].URL)
//
// A DM with the bot is [Server.DM]. [Roatan] is a server of Anne's, Bart's and Grace's that does
// not have the bot, and [Longboat] a group of Anne and Bart: there the bot's commands are offered
// to users that have installed it for themselves ([Admin.SetInstalled]).
//
// The calls behave as Discord's client does: they refuse a command that is not registered, an
// option that is not a choice, a disabled button, a message one cannot see. They block on
// conditions, never on the time: until the bot has answered, until the three seconds of
// Options.Clock are over ([ErrInteractionFailed]), or until ctx is done.
//
// [Message.Pinged] are the users that a message really notified (allowed_mentions, channel access and
// the rule that an edit never pings taken into account).
//
// # Many servers, and shards
//
// Options.Servers adds as many servers, each with one channel and two members; [PlaceAt] has their
// ids. A session that identifies with [shard, shards] gets the events of that shard's servers
// alone, and what has no server comes to shard 0; several may be connected for one shard. GET
// /gateway/bot says what Options.Shards and Options.MaxConcurrency are, and Options.IdentifyPause
// refuses sessions that identify too soon.
//
// # Activities
//
// [Server.EnableActivity] switches the application's Activity on. An answer of type 12 opens it: on the page in a frame
// of another origin, behind a proxy as Discord's is, which asks its user by the command AUTHORIZE; in tests
// [Reply.Instance] is its instance and [Server.AuthorizeFrame] agrees. [Server.SetActivityFaults] has some clients'
// faults.
//
// # Looking at requests, breaking things
//
// Every request of the bot is recorded in a bounded log ([Server.Requests]) and passed to Options.OnRequest before it
// is answered; [Request.Route] is the path template of Discord's OpenAPI description. [Server.AddFault] delays
// requests, answers them with errors, or carries them out and loses the answer. Faults of the connection are methods of
// [Server.Gateway], faults of the world methods of [Server.Admin]; [Server.RevokeToken] makes the token invalid. Time
// is Options.Clock; with a manual.Clock a test lets three seconds or fifteen minutes pass by Advance.
//
// # How it is made
//
// The hub guards the state (people, servers, channels, messages, commands) and carries each change
// to all that have to hear of it: the gateway's sessions, the open pages, waiting calls, and the state file.
// Changes come from the bot through the REST interface (one type for each family of routes), from
// users through the client (which refuses what Discord's client refuses) and from Admin. The page,
// in its own package, acts through the client as the tests do.
//
// # Where it differs from Discord
//
// Rate limits are Discord's for all requests together, and what it has long sent for messages; other routes have a
// generous limit each. Whether a custom emoji exists is not known. There are no voice, reactions, forums, polls,
// webhooks of channels and DMs among people, and no requests that the bot does not make. A reply to an interaction
// needs no permission in the channel, as on Discord. An Entry Point opens the Activity through the bot alone, and what
// Discord's proxy lets a page do beyond scripts is a guess on the safe side.
package localdiscord
