// Package localdiscord is a Discord server in miniature: it speaks the gateway and the REST
// interface of Discord over loopback, well enough for an unmodified discordgo session, and serves a
// web page on which one person plays all users.
//
// It has two uses: `marque` without a token runs the bot against it, as a demo, and so does every
// end-to-end test of the bot. It therefore refuses the same requests as Discord, with
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
// The package has no global state, so servers and sessions can run side by side.
//
// # Acting as a user
//
// Without a saved state, the world is the same at every start: the users [Anne], [Jack], [Mary], [Bart], [Grace] and
// [Ching], the servers [Tortuga] and [Nassau] and their channels, all with fixed ids. Anne owns
// Tortuga and Jack owns Nassau; Mary may manage both servers, Bart may manage neither; Grace
// accepts no direct messages; Ching is a member of Nassau only. Everybody in a server sees its
// channels, except [TortugaCabin], which only Anne, Mary and the bot see. [Server.Admin] adds more users, servers,
// channels, roles and overwrites.
//
//	reply, err := srv.Command(ctx, localdiscord.Anne, localdiscord.TortugaTables, "play", localdiscord.Opt("game", "pirat"))
//	msg, err := reply.Message(ctx)              // waits until a deferred reply has been filled in
//	button, ok := msg.Button("Join")            // by label or custom_id
//	reply, err = srv.Click(ctx, localdiscord.Jack, msg.ID, button.CustomID)
//	reply, err = srv.Select(ctx, localdiscord.Jack, msg.ID, "move", "sail")
//	reply, err = srv.SubmitModal(ctx, localdiscord.Jack, reply.Modal, localdiscord.Opt("text", "9 10"))
//	choices, err := srv.Autocomplete(ctx, localdiscord.Jack, channel, "move", "to", localdiscord.Opt("to", "1"))
//	all := srv.Messages(channel, localdiscord.Jack) // only the addressee gets an ephemeral message
//	msg, err = srv.WaitMessage(ctx, channel, localdiscord.Jack, func(m *localdiscord.Message) bool { … })
//	png, ok := srv.Attachment(msg.Pictures()[0].URL)
//
// [Server.DM] opens a DM with the bot. [Roatan] is a server of Anne, Bart and Grace without
// the bot, and [Longboat] a group of Anne and Bart: there the bot's commands are offered
// to users who have installed it for themselves ([Admin.SetInstalled]).
//
// The calls behave like Discord's client: they refuse a command that is not registered, an
// option that is not a choice, a disabled button, a message that the user cannot see. They wait until
// the bot has answered, until Options.AnswerWithin is over (three seconds by default, [ErrInteractionFailed]),
// or until ctx is done.
//
// [Message.Pinged] are the users whom a message notified, considering allowed_mentions, channel access and
// the rule that an edit never pings.
//
// # Many servers, and shards
//
// Options.Servers adds servers, each with one channel and two members; [PlaceAt] has their
// ids. A session that identifies with [shard, shards] gets only the events of that shard's servers.
// Shard 0 also gets events without a server. Several sessions can be connected for one shard. GET
// /gateway/bot returns Options.Shards and Options.MaxConcurrency. With Options.IdentifyPause, sessions that identify
// too soon are refused.
//
// # Activities
//
// [Server.EnableActivity] switches the application's Activity on. An answer of type 12 opens it. The page shows it in a
// frame of another origin, behind a proxy like Discord's; its AUTHORIZE command asks the user for consent. In tests,
// [Reply.Instance] is its instance, and [Server.AuthorizeFrame] gives consent. [Server.SetActivityFaults] sets faults
// of some clients.
//
// # Requests and faults
//
// Every request of the bot is recorded in a bounded log ([Server.Requests]) and passed to Options.OnRequest before it
// is answered; [Request.Route] is the path template of Discord's OpenAPI description. [Server.AddFault] delays
// requests, answers them with errors, or carries them out and loses the answer. Methods of [Server.Gateway] cause
// faults of the connection, and methods of [Server.Admin] faults of the world; [Server.RevokeToken] makes the token
// invalid. Options.Clock gives the time; with a manual.Clock, a test lets three seconds or fifteen minutes pass by
// Advance.
//
// # Structure
//
// The hub guards the state (people, servers, channels, messages, commands) and sends each change
// to the gateway's sessions, the open pages, waiting calls, and the state file.
// Changes come from the bot through the REST interface (one type for each family of routes), from
// users through the client (which refuses the same actions as Discord's client) and from Admin. The page,
// in its own package, acts through the client, as the tests do.
//
// # Differences from Discord
//
// The limit for all requests together is Discord's. Requests about messages have the limits that Discord has long used,
// and each other route has a generous limit. The server does not know whether a custom emoji exists. There are no
// voice, reactions, polls, webhooks of channels and DMs between people, and no requests that the bot does not make. An
// Entry Point opens the Activity only through the bot. Discord's proxy may be less strict with a page than the proxy
// here.
package localdiscord
