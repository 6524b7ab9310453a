// The page: its user and its channel, what it draws, and the events and keys that change it.
import { $, avatar, get, h, next, post, press, redraw } from "./dom.js";
import { renderMessage } from "./messages.js";
import { enlarge, openMenu, openModal } from "./dialogs.js";
import { Composer } from "./composer.js";
import { openActivity } from "./activity.js";

let state = null; // answer of /local/state for the user
let guildID = null;
let messages = new Map(); // messages of the open channel by id
let readUpTo = null; // id of the last message that was read before the channel was opened
let stream = null;
let contextMenus = []; // commands of the context menus in the open channel
let unavailable = []; // commands that the bot did not answer; only this page shows them
let opening = 0;
let spot = null; // the last chosen channel: its id, and guild, name and guildName if this page has shown it
let astray = null; // set while the user cannot see that channel; before is the previous user, if any
const unfolded = new Set(); // channels whose archived threads are listed
let follow = null; // after a starter was used: its user and channel, then also to, the thread in its answer

const users = () => state.users;
const people = () => users().filter((u) => !u.bot);
const userOf = (id) => users().find((u) => u.id === id) ?? { id, name: "deleted user" };
const guild = () => state.guilds.find((g) => g.id === guildID);
const channelList = () => guild()?.channels ?? (guildID ? [] : state.dms);
const channelOf = (id) => [...state.guilds.flatMap((g) => g.channels), ...state.dms].find((c) => c.id === id);
const nameOf = (c) => c.name || userOf(state.bot).name; // the direct messages with the bot have no name
const shortName = (c) => (c.guild ? (c.thread ? "" : "#") : "@") + nameOf(c); // threads have no sign before their names
const titleOf = (c) => (c.guild ? (c.thread ? "🧵 " : "# ") : "@ ") + nameOf(c);

const world = {
  get me() { return state.me; },
  channelID: null,
  userOf,
  user: (id) => userOf(id).name,
  role: (id) => state.guilds.flatMap((g) => g.roles).find((r) => r.id === id)?.name ?? "deleted-role",
  channel: (id) => (channelOf(id) ? shortName(channelOf(id)) : "#unknown"),
  named: (id) => channelOf(id) && nameOf(channelOf(id)),
  direct: (id) => "@" + nameOf(channelOf(id) ?? {}), // an unknown channel is a new one with the bot
  isMe: (id) => id === state.me,
  members: () => (guild()?.members ?? [{ id: state.me }, { id: state.bot }]).map((m) => userOf(m.id)),
  roles: () => (guild()?.roles ?? []).filter((r) => r.id !== guildID),
  channels: () => (guild()?.channels ?? []).filter((c) => !c.thread),
  locale: () => userOf(state.me).locale,
  give: (name) => composer.start("/" + name),
  enlarge,
  go,
  act,
  command,
  menus: (type) => contextMenus.filter((c) => c.type === type),
  apps: (m) => openMenu(`Message of ${userOf(m.author.id).name}`, [...choices(3, m.id), ...(userOf(m.author.id).bot ? [] : choices(2, m.author.id))]),
  person: (id) => (world.menus(2).length ? () => openMenu(userOf(id).name, choices(2, id)) : null),
  dismiss: (m) => post("dismiss", { user: state.me, message: m.id }).catch((e) => complain(e.message)),
};

const composer = new Composer(world);

let failed = false; // whether the notice is about something that the user did

function notice(text) {
  failed = false;
  $("notice").textContent = text;
  $("notice").hidden = !text;
}

// complain says what is wrong until the user does something else.
function complain(text) {
  notice(text);
  failed = true;
}

const connection = () => notice(!state || state.connected ? "" : "The bot is not connected. Commands will not be answered until it is.");
next(() => failed && connection());

// --- The user and the channel are in the address, so that each window can have another user.

function place() {
  const [user, channel] = location.hash.slice(1).split("/");
  return { user, channel };
}

function setPlace(user, channel) {
  const hash = `#${user}/${channel}`;
  if (location.hash !== hash) history.replaceState(null, "", hash);
}

let latest = null;

// refresh reads the lists again. If several reads are in progress, only the last one counts, because an earlier one can
// be for another user.
function refresh() {
  const mine = (async () => {
    const fresh = await get("state", { user: place().user || localStorage.getItem("user") || "" });
    if (mine !== latest) return latest;
    state = fresh;
    localStorage.setItem("user", state.me);
    connection();
  })();
  latest = mine;
  return mine;
}

let loads = 0;
let early = []; // events that arrive while a channel is being read; the answer can be older

// loading runs work, which reads and shows a channel, and then handles the events that arrived meanwhile.
async function loading(work) {
  loads++;
  $("log").setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    if (--loads === 0) {
      for (const e of early.splice(0)) heard(e);
      $("log").removeAttribute("aria-busy");
    }
  }
}

async function boot() {
  await refresh();
  await listen();
  await land(place().channel || firstChannel());
}

const firstChannel = () => (state.guilds[0]?.channels ?? state.dms)[0]?.id;

async function become(id) {
  if (id === state.me) return;
  const before = state.me;
  const at = spot;
  setPlace(id, at?.id ?? "");
  await loading(async () => {
    await refresh();
    await listen();
    const own = at && !at.guild && state.dms[0]; // each user has other direct messages with the bot
    await land(own ? own.id : at?.id ?? firstChannel(), before);
  });
  composer.ready();
}

// land shows a channel, or a message that the user cannot see it. before is the previous user.
async function land(id, before) {
  if (channelOf(id)) return open(id);
  opening++;
  if (spot?.id !== id) spot = { id };
  astray = { before };
  world.channelID = null;
  guildID = spot.guild || null;
  messages = new Map();
  composer.setChannel({ commands: [], maySend: false, name: "" });
  frame();
  drawLog();
}

// go opens a channel and, if messageID is set, scrolls to that message.
async function go(channelID, messageID) {
  if (channelID !== world.channelID) {
    if (!channelOf(channelID)) await refresh();
    if (!channelOf(channelID)) return complain("You cannot see that channel from here.");
    await open(channelID);
  }
  const el = messageID && $("log").querySelector(`[data-id="${CSS.escape(messageID)}"]`);
  if (!el) return;
  el.scrollIntoView({ block: "center" });
  el.classList.remove("flash");
  void el.offsetWidth;
  el.classList.add("flash");
}

// direct opens direct messages with mentions, or else those with the bot, which it creates if necessary.
async function direct() {
  if (!state.dms.some((c) => !c.name)) {
    await post("dm", { user: state.me });
    await refresh();
  }
  return open((state.dms.find((c) => c.pings) ?? state.dms.find((c) => !c.name)).id);
}

const open = (id) => loading(() => show(id));

async function show(id) {
  const token = ++opening;
  const c = channelOf(id);
  if (!c) return;
  const data = await get("channel", { user: state.me, channel: id });
  if (token !== opening) return;
  world.channelID = id;
  guildID = c.guild || null;
  astray = null;
  spot = { ...c, guildName: guild()?.name };
  messages = new Map(data.messages.map((m) => [m.id, m]));
  readUpTo = data.read ?? null;
  unavailable = unavailable.filter((u) => u.channel === id && u.user === state.me);
  setPlace(state.me, id);
  contextMenus = data.menus;
  composer.setChannel({ commands: data.commands, maySend: data.may_send, name: shortName(c) });
  frame();
  drawLog();
  acted = false;
  bottom();
  markRead();
}

// --- drawing

function frame() {
  const c = astray && spot.name !== undefined ? spot : channelOf(world.channelID);
  document.title = `${c ? titleOf(c) : "marque"} · ${userOf(state.me).name} · local Discord`;
  $("title").textContent = c ? titleOf(c) : "";
  $("topic").textContent = c?.topic ?? (c?.archived ? "This thread is archived; writing in it wakes it." : "");
  $("guild-name").textContent = guild()?.name ?? (!astray ? "Direct messages" : spot.guildName ?? "");
  const rail = (key, label, face, current, pings, unread, onclick) =>
    h("button", { type: "button", dataset: { key }, class: current ? "guild current" : "guild", title: label, "aria-label": label + (pings ? `, ${pings} mentions` : unread ? ", unread" : ""), "aria-current": current ? "true" : undefined, onclick }, h("span", {}, face), pings ? h("b", { class: "badge" }, pings) : unread && h("i", { class: "pip" }));
  const sum = (list) => list.reduce((n, x) => n + x.pings, 0);
  redraw($("guilds"),
    rail("direct", "Direct messages", "✉", !guildID && !astray, sum(state.dms), state.dms.some((x) => x.unread), direct),
    ...state.guilds.map((g) => rail(g.id, g.name, [...g.name].slice(0, 2).join(""), g.id === guildID, sum(g.channels), g.channels.some((x) => x.unread), () => open(g.channels.find((x) => x.pings)?.id ?? g.channels[0]?.id))),
  );
  drawBegin();
  drawChannels();
  drawSeats();
  drawSelf();
}

function drawChannels() {
  const list = channelList();
  const entry = (c) =>
    h("li", { class: c.thread ? "thread" : "" },
      h("button", { type: "button", dataset: { key: c.id }, class: ["channel", c.id === world.channelID && "current", c.unread && "unread", c.archived && "archived"].filter(Boolean).join(" "), "aria-current": c.id === world.channelID ? "page" : undefined, "aria-label": `${c.thread ? "thread" : "channel"} ${nameOf(c)}${c.pings ? `, ${c.pings} mentions` : c.unread ? ", unread" : ""}`, onclick: () => open(c.id).then(() => {
        toggleMenu(false);
        composer.ready();
      }) },
        h("span", { class: "hash", "aria-hidden": "true" }, c.guild ? (c.thread ? "↳" : "#") : "@"), h("span", { class: "label" }, nameOf(c)), c.pings > 0 && h("b", { class: "badge" }, c.pings)));
  const out = [];
  for (const c of list.filter((x) => !x.thread)) {
    out.push(entry(c));
    const threads = list.filter((x) => x.thread && x.parent === c.id);
    out.push(...threads.filter((x) => !x.archived || x.id === world.channelID).map(entry));
    const asleep = threads.filter((x) => x.archived && x.id !== world.channelID);
    if (asleep.length) out.push(h("li", {}, h("details", { class: "archive", open: unfolded.has(c.id), ontoggle: (e) => (e.target.open ? unfolded.add(c.id) : unfolded.delete(c.id)) }, h("summary", { dataset: { key: "archive of " + c.id } }, `${asleep.length} archived`), h("ul", {}, asleep.map(entry)))));
  }
  if (astray && !list.length && spot.guild) out.push(h("li", { class: "nobody" }, `${userOf(state.me).name} is not in ${spot.guildName}.`));
  redraw($("channels"), ...out);
}

function drawSeats() {
  const focused = document.activeElement?.closest?.("#seats");
  $("seats").replaceChildren(
    ...people().map((u, i) => {
      const me = u.id === state.me;
      const g = guild();
      const away = g && !g.members.some((m) => m.id === u.id) ? `, not in ${g.name}` : "";
      return h("button", { type: "button", role: "radio", class: away ? "seat away" : "seat", "aria-checked": String(me), tabindex: me ? "0" : "-1", title: `${u.name}${away}${i < 9 ? ` (Alt+${i + 1})` : ""}`, "aria-label": u.name + away + (u.pings ? `, ${u.pings} mentions` : ""), dataset: { user: u.id }, onclick: () => become(u.id) }, avatar(u), h("span", { class: "seat-name" }, u.name), !me && u.pings > 0 && h("b", { class: "badge" }, u.pings));
    }),
  );
  if (focused) $("seats").querySelector("[aria-checked=true]")?.focus();
}

function drawSelf() {
  const me = userOf(state.me);
  const names = new Intl.DisplayNames("en", { type: "language" });
  const pick = h("select", { dataset: { key: "language" }, "aria-label": `Language of ${me.name}'s Discord`, onchange: (e) => post("locale", { user: state.me, name: e.target.value }).catch((err) => complain(err.message)) }, state.locales.map((l) => h("option", { value: l, selected: l === me.locale }, `${names.of(l)}`)));
  const bot = userOf(state.bot).name;
  const install = h("button", { type: "button", class: "install", dataset: { key: "install" }, title: `Installed for ${me.name}, ${bot} has its commands on every server, for ${me.name} alone`, onclick: () => post("install", { user: state.me, on: !me.installed }).then(refresh).then(() => (world.channelID ? open(world.channelID) : frame())).catch((err) => complain(err.message)) },
    me.installed ? `Remove ${bot} from my apps` : `Add ${bot} to my apps`);
  const launch = world.menus(4).map((c) => h("button", { type: "button", class: "install", dataset: { key: "launch" }, onclick: () => send("menu", { name: c.name }, c.name) }, `Launch ${bot}`));
  redraw($("self"), avatar(me), h("div", {}, h("strong", {}, me.name), h("small", {}, me.username)), pick, install, ...launch);
}

function drawLog() {
  const log = $("log");
  if (astray) return redraw(log, elsewhere());
  log.replaceChildren();
  const c = channelOf(world.channelID);
  log.append(welcome(c));
  let previous = null;
  let divided = false;
  for (const m of messages.values()) {
    if (!divided && readUpTo && older(readUpTo, m.id) && m.author.id !== state.me && !m.ephemeral) {
      divided = true;
      if (previous) log.append(h("div", { class: "new", role: "separator" }, h("span", {}, "New")));
      previous = null;
    }
    log.append(renderMessage(m, world, grouped(previous, m)));
    previous = m;
  }
  for (const u of unavailable.filter((x) => x.channel === world.channelID && x.user === state.me)) log.append(failureLine(u));
}

// welcome returns the top of a channel. In an empty channel it shows how to begin.
function welcome(c) {
  const bot = userOf(state.bot).name;
  const out = h("div", { class: "welcome" }, h("h3", {}, c.guild ? `Welcome to ${titleOf(c)}` : `Messages of ${nameOf(c)}`),
    h("p", {}, "Everything here happens on this computer, and you sit in every seat: the faces above change who you are", h("span", { class: "keys" }, `, as do Alt+1 to Alt+${Math.min(9, people().length)}`), "."));
  if (messages.size) return out;
  const foreign = c.guild ? !guild().bot : c.name;
  if (foreign && !composer.commands.length) {
    out.append(h("p", {}, `${bot} is not ${c.guild ? "on this server" : "here"}. Who installs it for themselves has its commands here all the same: “Add ${bot} to my apps” is under your name.`));
    return out;
  }
  out.append(...ways());
  if (composer.commands.length)
    out.append(h("p", {}, c.guild ? "To play with somebody else, open a table and take the next seat as another face. " : "Here you play against the computer; with others you play on a server. ", h("button", { type: "button", class: "link", dataset: { key: "all" }, onclick: () => composer.start("/") }, `All that ${bot} can do`), " is behind a / in the box below."));
  else out.append(h("p", {}, `${bot} has no commands here yet; they come when it connects.`));
  return out;
}

// ways returns buttons for the starters whose commands exist, below their titles. A starter with a sentence stands
// beside its picture.
function ways() {
  const find = (st) => composer.commands.find((x) => x.name === st.command);
  const known = state.starters.filter(find);
  const button = (st, look, of) => h("button", { type: "button", class: `button ${look}`,
    dataset: { key: of + st.label }, onclick: (e) => begin(e.currentTarget, st, find(st)) }, st.label);
  const buttons = (st) => [button(st, "primary", st.title),
    ...st.beside.filter(find).map((b) => button(b, "secondary", st.title + st.label))];
  const way = (st) => h("div", { class: "way" }, st.picture && h("img", { src: `/local/picture/${state.starters.indexOf(st)}`, alt: "" }),
    h("div", { class: "row" }, ...buttons(st)), h("p", {}, st.text));
  return [...new Set(known.map((st) => st.title))].flatMap((title) => {
    const list = known.filter((st) => st.title === title), plain = list.filter((st) => !st.text);
    return [h("h4", {}, title),
      h("div", { class: "each" }, ...list.filter((st) => st.text).map(way)),
      ...(plain.length ? [h("div", { class: "row" }, ...plain.flatMap(buttons))] : [])];
  });
}

function drawBegin() {
  $("begin").hidden = !!astray || !ways().length;
  if ($("begin").hidden) showWays(false);
}

// showWays opens or closes the list of starters, which is available in every channel.
function showWays(shown) {
  if (shown) $("ways").replaceChildren(...ways());
  $("ways").hidden = !shown;
  $("begin").setAttribute("aria-expanded", String(shown));
}

// begin uses a starter's command.
async function begin(el, starter, found) {
  el.classList.add("busy");
  follow = { user: state.me, channel: world.channelID };
  try {
    await command(found.name, starter.options, composer.shown(found));
  } catch (err) {
    follow = null;
    complain(err.message);
  } finally {
    el.classList.remove("busy");
    showWays(false);
  }
}

// lead notes the thread that the answer to a starter names, if any. arrive opens the thread as soon as the page knows
// it.
function lead(m) {
  if (!follow || follow.to || !m.ephemeral || m.channel_id !== follow.channel || m.author.id !== state.bot) return;
  const there = /<#(\d+)>/.exec(JSON.stringify(m.components ?? m.content));
  if (there) follow.to = there[1];
  else if (!m.loading) follow = null;
}

function arrive() {
  if (!follow?.to || !channelOf(follow.to)) return;
  const { user, channel, to } = follow;
  follow = null;
  if (user === state.me && channel === world.channelID) open(to);
}

// elsewhere returns a message that the user cannot see the channel, with buttons that lead elsewhere.
function elsewhere() {
  const me = userOf(state.me).name;
  const outside = spot.guild && !state.guilds.some((g) => g.id === spot.guild);
  const at = spot.name === undefined ? "this channel" : titleOf(spot);
  const names = new Intl.ListFormat("en").format(state.guilds.map((g) => g.name));
  const here = state.guilds.filter((g) => g.id === spot.guild);
  const way = (label, go) => h("button", { type: "button", class: "button secondary", dataset: { key: label }, onclick: go }, label);
  return h("div", { class: "welcome", role: "status" }, h("h3", {}, outside ? `${me} is not in ${spot.guildName}` : `${me} cannot see ${at}`),
    h("p", {}, outside ? `So ${me} does not see ${at}. ${names ? `${me} is in ${names}.` : `${me} is in no server.`}` : "It is for others alone, or it is gone."),
    h("div", { class: "row" },
      (here.length ? here : state.guilds).filter((g) => g.channels.length).map((g) => way(here.length ? `Go to # ${g.channels[0].name}` : `Go to ${g.name}`, () => open(g.channels[0].id))),
      astray.before && astray.before !== state.me && way(`Back to ${userOf(astray.before).name}`, () => become(astray.before))));
}

const older = (a, b) => (a.length === b.length ? a < b : a.length < b.length);

function grouped(previous, m) {
  return !!previous && previous.author.id === m.author.id && m.type !== 20 && m.type !== 19 && m.type !== 18 && previous.type !== 18 && !m.ephemeral === !previous.ephemeral && new Date(m.timestamp) - new Date(previous.timestamp) < 7 * 60000;
}

function failureLine(u) {
  const el = h("article", { class: "message ephemeral" }, h("div", { class: "origin" }, avatar(userOf(u.user), true), h("span", { class: "name" }, userOf(u.user).name), " used ", h("span", { class: "mention" }, u.name)), avatar(userOf(state.bot)),
    h("div", { class: "body" }, h("p", { class: "failure", role: "alert" }, "⚠ The application did not respond"), h("p", { class: "only-you" }, h("span", { "aria-hidden": "true" }, "👁 "), "Only you can see this · ", h("button", { type: "button", class: "link", onclick: () => {
      unavailable = unavailable.filter((x) => x !== u);
      el.remove();
    } }, "Dismiss message"))));
  return el;
}

// rest returns the scroll position for the newest message: the end of the log, where the message's controls are. If the
// message is higher than the log and has no board, rest returns the beginning of the message.
function rest() {
  const log = $("log"), last = log.lastElementChild;
  const end = log.scrollHeight - log.clientHeight;
  const words = last?.classList.contains("message") && !last.querySelector(".gallery");
  return words ? Math.max(0, Math.min(end, last.offsetTop - log.offsetTop - 8)) : end;
}

const atBottom = () => $("log").scrollTop > rest() - 80;

// fit limits the height of a message's pictures, so that its text and controls are visible with them. The first picture
// stays at least 160 pixels high, or, on a phone, 300 pixels wide (180 in a private message, which must show its
// controls), so that it can be read. In a message without buttons, or with a numbered list, the picture keeps its size.
function fit(m) {
  m.style.removeProperty("--tallest");
  if (!m.querySelector(".button") || m.querySelector("ol")) return;
  const over = m.offsetHeight + 24 - $("log").clientHeight;
  const img = m.querySelector(".gallery img:not(.strip)");
  if (!img || over <= 0) return;
  const width = m.classList.contains("ephemeral") ? 180 : 300;
  const least = matchMedia("(max-width: 720px)").matches ? (width * img.offsetHeight) / img.offsetWidth : 160;
  m.style.setProperty("--tallest", `${Math.max(least, img.offsetHeight - over)}px`);
}

// bottom scrolls to the newest message. If anew is false, it only scrolls down.
function bottom(anew = true) {
  const log = $("log");
  if (log.lastElementChild?.classList.contains("message")) fit(log.lastElementChild);
  if (anew || log.scrollTop < rest()) log.scrollTop = rest();
  // Pictures of unknown size get their height when they load.
  for (const img of log.querySelectorAll("img:not([width])")) if (!img.complete) img.addEventListener("load", () => (stuck || acted) && bottom(false), { once: true });
}

let stuck = true; // last result of follows
let box = ""; // size of the log at the last call of follows
let acted = false; // the user has acted and not scrolled since, so the result is shown

// follows reports whether the newest message is visible, or was visible until the log changed its size.
function follows() {
  const size = `${$("log").clientWidth} ${$("log").clientHeight}`;
  stuck = atBottom() || (stuck && size !== box);
  box = size;
  return stuck;
}

// put shows a new message or a new version of a message, and keeps the reader's place and focus.
function put(m) {
  const log = $("log");
  const known = messages.get(m.id);
  if (known && known.version > m.version) return;
  const follow = follows() || (!known && (acted || m.author.id === state.me));
  const list = [...messages.values()];
  if (!known) {
    messages.set(m.id, m);
    const top = log.querySelector(".welcome");
    if (!list.length && !top.contains(document.activeElement)) redraw(top, ...welcome(channelOf(world.channelID)).childNodes);
    log.append(renderMessage(m, world, grouped(list.at(-1), m)));
  } else {
    messages.set(m.id, m);
    const old = log.querySelector(`[data-id="${CSS.escape(m.id)}"]`);
    const held = old?.contains(document.activeElement) && document.activeElement;
    const el = renderMessage(m, world, old?.classList.contains("grouped"));
    old?.replaceWith(el);
    if (held) ((held.dataset.cid && el.querySelector(`[data-cid="${CSS.escape(held.dataset.cid)}"]:not(:disabled)`)) ?? el).focus({ preventScroll: true });
  }
  if (follow) bottom(log.lastElementChild.dataset.id === m.id);
  else if (!known) $("jump").hidden = false;
}

function markRead() {
  if (document.hidden || !world.channelID) return;
  const c = channelOf(world.channelID);
  if (!c || !atBottom()) return;
  if (c.unread || c.pings) {
    userOf(state.me).pings -= c.pings;
    c.unread = false;
    c.pings = 0;
    frame();
  }
  post("read", { user: state.me, channel: world.channelID }).catch(() => {});
}

// --- events

const patience = 1500; // milliseconds between two attempts to connect
let again = null;

// listen opens the connection for the user's events. It resolves to true when the connection is open, so that data read
// afterwards miss no event, or to false if it cannot be opened. A lost connection is opened again, and everything is
// read again.
function listen() {
  stream?.close();
  clearTimeout(again);
  early = [];
  const source = new WebSocket(`${location.origin.replace(/^http/, "ws")}/local/events?user=${state.me}`);
  stream = source;
  return new Promise((ready) => {
    source.onmessage = async (e) => {
      const event = JSON.parse(e.data);
      while (press) await press;
      if (source !== stream) return;
      if (event.t === "hello") return ready(true);
      loads ? early.push(event) : heard(event);
    };
    source.onclose = () => {
      if (source === stream) {
        notice("The connection is lost; trying again…");
        again = setTimeout(reconnect, patience);
      }
      ready(false);
    };
  });
}

const reconnect = async () => (await listen()) && reread();

// reread draws everything again after the connection was lost.
const reread = () =>
  loading(async () => {
    await refresh();
    if (!channelOf(world.channelID)) return land(spot?.id ?? firstChannel(), astray?.before);
    const follow = atBottom();
    const token = ++opening;
    const data = await get("channel", { user: state.me, channel: world.channelID });
    if (token !== opening) return;
    messages = new Map(data.messages.map((m) => [m.id, m]));
    frame();
    drawLog();
    if (follow) bottom();
    markRead();
  });

let settled = null;
let commandsToo = false;

// worldChanged reads the lists again, once for several changes in quick succession. It also reads the channel's
// commands again, unless commands is false.
function worldChanged(commands = true) {
  clearTimeout(settled);
  commandsToo ||= commands;
  settled = setTimeout(async () => {
    const all = commandsToo;
    commandsToo = false;
    await refresh();
    if (astray && channelOf(spot.id)) return open(spot.id);
    const c = channelOf(world.channelID);
    if (!c) return astray ? (frame(), redraw($("log"), elsewhere())) : land(spot?.id ?? firstChannel());
    frame();
    for (const b of $("log").querySelectorAll(".mention[data-channel]")) b.textContent = world.channel(b.dataset.channel);
    markRead();
    arrive();
    if (!all) return;
    const data = await get("channel", { user: state.me, channel: c.id });
    if (c.id !== world.channelID) return;
    if (composer.command || composer.tail.value) {
      if (!composer.commands.length) composer.setChannel({ commands: data.commands, maySend: data.may_send, name: shortName(c) });
    } else {
      const had = document.activeElement === composer.tail;
      composer.setChannel({ commands: data.commands, maySend: data.may_send, name: shortName(c) });
      if (had) composer.tail.focus();
    }
    drawBegin();
    if (!messages.size) redraw($("log").querySelector(".welcome"), ...welcome(c).childNodes);
  }, 60);
}

function heard(e) {
  switch (e.t) {
    case "message": {
      const m = e.m;
      const here = m.channel_id === world.channelID;
      if (here) put(m);
      lead(m);
      arrive();
      if (m.version > 1 || m.author.id === state.me) return;
      const c = channelOf(m.channel_id);
      if (!c) return worldChanged();
      if (here && !document.hidden && atBottom()) return markRead();
      if (!m.ephemeral) c.unread = true;
      frame();
      return;
    }
    case "ping": {
      const here = e.channel === world.channelID && !document.hidden && atBottom();
      for (const id of e.users) {
        if (id === state.me && here) continue;
        userOf(id).pings = (userOf(id).pings ?? 0) + 1;
        if (id === state.me && channelOf(e.channel)) channelOf(e.channel).pings++;
      }
      frame();
      return;
    }
    case "delete":
      if (e.channel === world.channelID) {
        messages.delete(e.id);
        $("log").querySelector(`[data-id="${CSS.escape(e.id)}"]`)?.remove();
      }
      return;
    case "read":
      if (e.user !== state.me) worldChanged(false);
      return;
    case "world":
      worldChanged();
  }
}

// choices returns the commands in the context menu of the user or message with an id.
const choices = (type, id) => world.menus(type).map((c) => ({ label: c.name_localizations?.[world.locale()] ?? c.name, pick: () => send("menu", { name: c.name, message: id }, c.name) }));

function command(name, options, shown) {
  return send("command", { name, options }, "/" + shown);
}

async function send(path, what, shown) {
  const channel = world.channelID;
  const user = state.me;
  acted = true;
  $("typing").textContent = `Sending ${shown}…`;
  try {
    const a = await post(path, { user, channel, ...what });
    if (a.failed) {
      const u = { user, channel, name: shown };
      unavailable = [...unavailable.slice(-9), u];
      if (channel === world.channelID && user === state.me) {
        $("log").append(failureLine(u));
        bottom();
      }
    } else opened(a, user);
  } finally {
    $("typing").textContent = "";
  }
}

async function act(m, customID, values, el) {
  const failure = el.closest(".message").querySelector(".failure");
  failure.hidden = true;
  acted = true;
  el.classList.add("busy");
  el.setAttribute("aria-busy", "true");
  const user = state.me;
  try {
    const a = await post("component", { user, message: m.id, custom_id: customID, values });
    if (a.failed) fail(m, "This interaction failed");
    else opened(a, user);
  } catch (err) {
    fail(m, err.message);
  } finally {
    el.classList.remove("busy");
    el.removeAttribute("aria-busy");
  }
}

function fail(m, text) {
  const line = $("log").querySelector(`[data-id="${CSS.escape(m.id)}"] .failure`);
  if (!line) return;
  line.textContent = "⚠ " + text;
  line.hidden = false;
}

// opened shows the modal or the Activity that an answer opens.
function opened(a, user) {
  if (a.modal) showModal(a);
  if (a.frame) openActivity(a.frame, user);
}

function showModal(a) {
  const user = state.me;
  openModal(a.modal, world, async (options) => {
    acted = true;
    const sent = await post("modal", { user, interaction: a.id, options });
    if (sent.failed) throw new Error("Something went wrong. Try again.");
  });
}

// --- keys, and the parts around the messages

document.addEventListener("keydown", (e) => {
  if (document.querySelector("dialog[open]")) return;
  const digit = e.altKey && /^Digit([1-9])$/.exec(e.code);
  if (digit) {
    const u = people()[Number(digit[1]) - 1];
    if (u) {
      e.preventDefault();
      become(u.id);
    }
    return;
  }
  if (e.altKey && (e.key === "ArrowUp" || e.key === "ArrowDown")) {
    e.preventDefault();
    const list = [...$("channels").querySelectorAll(".channel")].map((b) => b);
    const at = list.findIndex((b) => b.classList.contains("current"));
    const next = list[(at + (e.key === "ArrowDown" ? 1 : list.length - 1)) % list.length];
    next?.click();
    return;
  }
  if (e.key === "Escape" && document.body.classList.contains("menu-open")) {
    toggleMenu(false);
    return $("menu").focus();
  }
  if (e.key === "Escape" && !$("ways").hidden) {
    showWays(false);
    return $("begin").focus();
  }
  // Typing anywhere goes to the message box, as in Discord.
  const idle = document.activeElement === document.body || document.activeElement === $("log");
  if (idle && e.key.length === 1 && !e.ctrlKey && !e.metaKey && !e.altKey && e.key !== " ") composer.tail.focus();
});

$("seats").addEventListener("keydown", (e) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
  if (!step || e.altKey) return;
  e.preventDefault();
  const list = people();
  const at = list.findIndex((u) => u.id === state.me);
  become(list[(at + step + list.length) % list.length].id).then(() => $("seats").querySelector("[aria-checked=true]")?.focus());
});

function toggleMenu(open) {
  document.body.classList.toggle("menu-open", open);
  $("menu").setAttribute("aria-expanded", String(document.body.classList.contains("menu-open")));
}

$("menu").addEventListener("click", () => toggleMenu());
$("begin").addEventListener("click", () => showWays($("ways").hidden));
for (const by of ["pointerdown", "focusin"]) document.addEventListener(by, (e) => e.target.closest("#ways, #begin") || showWays(false));
document.querySelector("main").addEventListener("pointerdown", (e) => document.body.classList.contains("menu-open") && !e.target.closest("#menu") && toggleMenu(false));
$("jump").addEventListener("click", () => {
  bottom();
  $("jump").hidden = true;
});
$("log").addEventListener("scroll", () => {
  if (follows()) {
    if (!atBottom()) bottom(false);
    $("jump").hidden = true;
    const c = state && channelOf(world.channelID);
    if (c?.unread || c?.pings) markRead();
  }
}, { passive: true });
new ResizeObserver(() => follows() && bottom(false)).observe($("log"));
for (const by of ["wheel", "touchmove", "pointerdown", "keydown"]) $("log").addEventListener(by, () => (acted = false), { passive: true });
document.addEventListener("visibilitychange", () => {
  if (document.hidden || !state) return;
  if (stream?.readyState === WebSocket.CLOSED) reconnect(); // browsers delay the timers of hidden tabs
  markRead();
});
addEventListener("hashchange", () => {
  const to = place();
  if (to.user && to.user !== state.me) refresh().then(listen).then(() => land(to.channel || firstChannel()));
  else if (to.channel && to.channel !== world.channelID) land(to.channel);
});

// An error that no code has caught is shown, because the user has clicked and waits for a result.
addEventListener("unhandledrejection", (e) => complain(e.reason?.message ?? String(e.reason)));

boot().catch((err) => notice(`The page cannot be shown: ${err.message}`));
