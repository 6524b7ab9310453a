// The page for playing by touch. docs/web.md describes its requests.

const $ = (id) => document.getElementById(id);
const style = document.querySelector("style");
if (!style.sheet) { // Discord's proxy may block styles in the page
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(style.textContent);
  document.adoptedStyleSheets = [sheet];
}
const language = navigator.language;
let words = {}, session = "", table = "", state = null, games = [], socket = null, wait = 1000;
let shared = ""; // the link to a game's own page
let path = "", at = null; // choices of a move; number of plays before the picture, null for now
let line = null; // moves of a plan, or null
const shown = { board: "", hand: "" }; // what the pictures are of
let last = null; // the place that was touched last
let touched = 0, took = 0; // when the awaited picture was asked for; how long the last one took
let running = null, again = false; // a refresh, and whether it has to look once more
const kept = { // what the device keeps; nothing in a frame without an origin
  get: (k) => { try { return localStorage.getItem(k); } catch { return null; } },
  set: (k, to) => { try { localStorage.setItem(k, to); } catch {} },
};
let preview = kept.get("preview") !== "off", loud = kept.get("loud") === "on";
const query = new URLSearchParams(location.search), frame = query.get("frame_id"); // frame: inside Discord

const sleep = (time) => new Promise((done) => setTimeout(done, time));
const hex = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
const theme = () => matchMedia("(prefers-contrast: more)").matches ? "contrast"
  : matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";

function make(tag, props = {}, ...inside) {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...inside);
  return e;
}
const button = (textContent, onclick, props) => make("button", { textContent, onclick, ...props });

// ask sends a request, and returns the answer or throws. If this address asks too much, it waits.
let pressed = 0; // until when a click may follow
async function ask(what, body, tries = 0) {
  const answer = await fetch("/api/" + what, {
    method: "POST", credentials: "omit",
    headers: { "Content-Type": "application/json", ...(session && { Authorization: "Bearer " + session }) },
    body: JSON.stringify({ language, theme: theme(), ...(session && took && { took }), ...body }),
  });
  if (answer.status === 429 && tries < 6) { // nothing was done
    await sleep(400 * 2 ** tries * (.5 + Math.random()));
    return ask(what, body, tries + 1);
  }
  took = 0;
  if (answer.status === 401) {
    session = "";
    socket?.close();
    if (!body.code) entry(words.closed);
    throw new Error("closed");
  }
  if (!answer.ok) throw new Error(answer.status);
  if (answer.headers.get("Content-Type") === "image/png") return answer.blob();
  const said = await answer.json();
  while (performance.now() < pressed) await sleep(10); // replaced buttons get no click
  if (said.session) session = said.session;
  return said;
}

// once asks for something to be done.
const once = (what, body) => ask(what, { table, key: hex(), ...body }).catch(() => ({ error: words.offline }));

// begin begins a login with Discord. The verifier stays here.
async function begin() {
  const random = () => base64(crypto.getRandomValues(new Uint8Array(32))), state = random(), verifier = random();
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
  const { login } = await ask("login", { state, challenge: base64(new Uint8Array(hash)) }).catch(() => ({}));
  return { state, verifier, login };
}

// entry shows the login with Discord, where there is one, instead of a table.
async function entry(said) {
  const { state, verifier, login } = await begin();
  shut(said ?? (login ? words.welcome : words.closed));
  $("login").hidden = !login;
  $("login").onclick = () => {
    if (frame) return start();
    kept.set("login", JSON.stringify({ state, verifier, until: Date.now() + 600000 }));
    location.assign(login);
  };
}

// command sends a command to Discord's client, and returns the result. The first waits for it.
let ready = null;
const waiting = new Map(); // by nonce
function command(cmd, login, args) {
  const client = parent.opener ?? parent, { origin, searchParams } = new URL(login);
  const say = (kind, what) => client.postMessage([kind, what], "*"); // nothing in it is secret
  const wait = (nonce) => new Promise((done, fail) => waiting.set(nonce, { done, fail }));
  if (!ready) {
    const trusted = [origin, "https://ptb.discord.com", "https://canary.discord.com", location.origin, "null"];
    addEventListener("message", ({ origin, data }) => {
      if (!trusted.includes(origin) || !Array.isArray(data)) return;
      const [kind, said] = data, of = waiting.get(said?.evt === "READY" ? "READY" : said?.nonce);
      if (kind === 2) {
        ready = null;
        for (const w of waiting.values()) w.fail(new Error(said?.message));
      }
      if (kind !== 1 || !of) return;
      if (said.evt === "ERROR") of.fail(new Error(said.data?.message));
      else if (said.data) of.done(said.data); // some devices echo our messages, without data
    });
    ready = wait("READY");
    say(0, { v: 1, encoding: "json", client_id: searchParams.get("client_id"), frame_id: frame });
  }
  return ready.then(() => {
    const nonce = hex(), answer = wait(nonce);
    say(1, { cmd, args, nonce });
    return answer;
  });
}

// comeInDiscord logs in inside Discord, whose client asks the user.
async function comeInDiscord() {
  try {
    const { verifier, login } = await begin(), asked = Object.fromEntries(new URL(login).searchParams);
    delete asked.redirect_uri; // the answer comes here
    const { code } = await command("AUTHORIZE", login, { ...asked, scope: [asked.scope] });
    ({ session, table = "" } = await ask("enter", { code, verifier, instance: query.get("instance_id") }));
    return true;
  } catch {
    return entry(words.failed);
  }
}

const base64 = (bytes) => btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (c) => ({ "+": "-", "/": "_" })[c] ?? "");

// shut shows nothing but a sentence.
function shut(said) {
  for (const id of ["main", "games", "home", "login"]) $(id).hidden = true;
  $("title").textContent = words.title;
  $("entry").hidden = false;
  $("why").textContent = said;
}

// comeIn exchanges a link, or Discord's answer to a login, for a session.
async function comeIn() {
  if (frame) return comeInDiscord();
  const link = location.hash.slice(1);
  if (link.startsWith("game.")) return shared = link.slice(5);
  history.replaceState(null, "", "/"); // both work once
  if (link) {
    ({ session, table } = await ask("enter", { link }));
    return true;
  }
  const begun = JSON.parse(kept.get("login") || null);
  kept.set("login", "");
  const code = query.get("code");
  if (!code) return entry();
  try {
    if (begun?.state !== query.get("state") || begun.until < Date.now()) throw new Error("another login");
    ({ session } = await ask("enter", { code, verifier: begun.verifier }));
    return true;
  } catch {
    return entry(words.failed);
  }
}

let complaint = 0;
function complain(said) {
  clearTimeout(complaint);
  $("error").textContent = said;
  $("error").hidden = !said;
  if (said && session) complaint = setTimeout(complain, 8000);
}

// refresh fetches the table and the question after the choices, and shows them unless a choice was made meanwhile.
function refresh() {
  if (!table && !shared) return;
  again = true;
  return running ??= fetchState().finally(() => { running = null; return again && refresh(); });
}

async function fetchState() {
  try {
    while (again) {
      again = false;
      const of = table, said = await (shared ? ask("shared", { shared }) : ask("state", { table, path, plan: line }));
      if (shared) complain("");
      if (again ||= of !== table) continue;
      if (said.error) {
        complain(said.error);
        if (!state) table = ""; // it is not for this user, who sees their games
      } else if (line !== null && !said.state.plan) plan(null); // the game has gone on
      else take(said.state);
    }
  } catch (e) {
    if (shared && e.message === "404") return shut(words.gone);
    if (session || shared) complain(words.offline);
    lookAgain();
  }
}

let looksAgain = 0;
function lookAgain() {
  clearTimeout(looksAgain);
  if (session || shared) looksAgain = setTimeout(refresh, 2000 + 3000 * Math.random());
}

async function take(next) {
  if (state?.table === next.table && state.plays < next.plays) sound(!!next.question);
  if (state && (state.table !== next.table || state.plays !== next.plays)) at = null;
  state = next;
  table = state.table;
  if (state.pending) lookAgain();
  path = state.question?.path ?? "";
  draw();
}

// sound plays a note for a move, and two with a vibration when it is the user's turn.
let audio = null;
function sound(yours) {
  if (!loud) return;
  audio ??= new AudioContext();
  audio.resume(); // a browser allows sound after a press
  for (const [i, pitch] of (yours ? [523, 784] : [392]).entries()) {
    const note = audio.createOscillator(), volume = audio.createGain(), from = audio.currentTime + i * .14;
    note.frequency.value = pitch;
    volume.gain.setValueAtTime(.12, from);
    volume.gain.exponentialRampToValueAtTime(.001, from + .25);
    note.connect(volume).connect(audio.destination);
    note.start(from);
    note.stop(from + .25);
  }
  if (yours) navigator.vibrate?.(80);
}

// choose adds a choice. A complete move is played without a preview if the user wants that, but not by a shortcut.
async function choose(to, place = null) {
  const planned = line !== null; // nothing is played that was chosen for a plan
  last = place?.card ? null : place; // a played card is in the hand no more
  touched = performance.now();
  path = to;
  await refresh();
  const q = state?.question;
  if (!q?.complete || q.choices.length || !q.path) return;
  if (line !== null) await planOn(q.path);
  else if (!planned && !preview && !place?.shortcut) await play(q.path);
}

function plan(to) {
  line = to;
  path = "";
  return refresh();
}
const planOn = (move) => plan(line ? line + ";" + move : move);

async function leavePlan() {
  const said = await once("plan", { plan: line, version: state.version });
  if (said.error) complain(said.error);
  return plan(null);
}

async function play(move) {
  const key = hex(), version = state.version, of = table;
  last = null;
  touched ||= performance.now();
  for (let tries = 0; ; tries++) { // the same key: it is played once
    try {
      const said = await ask("play", { table: of, path: move, version, key });
      path = "";
      if (said.error) {
        complain(said.error);
        await refresh();
      } else if (of === table) take(said.state);
      break;
    } catch (e) {
      complain(words.offline);
      if (!session || tries === 6) break; // half a minute: a killed bot is back by then
      await sleep(500 * 2 ** tries);
    }
  }
}

async function press(control, value) {
  if (control.play) { $("dialog").close(); return play(control.play); }
  const said = await once("press", { press: control.press, value });
  if (said.error) { $("dialog").close(); complain(said.error); }
  if (said.table) return turnTo(said.table);
  if (said.message) open(said.message.parts.map(part));
  refresh();
}

function open(parts) {
  $("said").replaceChildren(...parts);
  if (!$("dialog").open) $("dialog").showModal();
  $("said").scrollTop = 0;
}

function part(p) {
  if (p.text) return make("div", {}, ...markdown(p.text));
  if (p.picture) return make("img", { src: p.picture, alt: p.alt ?? "" });
  if (p.buttons) return row(p.buttons);
  const menu = make("select", { ariaLabel: p.menu.label }, make("option", { textContent: p.menu.label, value: "" }),
    ...p.menu.options.map((o) => make("option", { textContent: o.label, value: o.value })));
  menu.onchange = () => menu.value && press(p.menu, menu.value);
  return menu;
}

const row = (buttons) => make("div", { className: "row" }, ...buttons.map((b) =>
  button(b.label, () => press(b), { className: b.primary ? "go" : "" })));

// markdown makes elements of Discord's markdown, never HTML.
function markdown(said) {
  const out = [];
  for (const piece of said.split(/(```[^]*?```)/)) {
    if (piece.startsWith("```")) {
      out.push(make("pre", { textContent: piece.slice(3, -3).replace(/^\n/, "") }));
      continue;
    }
    let list = null;
    for (const line of piece.split("\n")) {
      const m = /^ *(#{1,3} |-# |[-*] |> )?(.*)$/.exec(line), mark = m[1] ?? "";
      if (/^[-*] $/.test(mark)) {
        if (!list) out.push(list = make("ul"));
        list.append(make("li", {}, ...inline(m[2])));
        continue;
      }
      list = null;
      if (line) out.push(make(mark[0] === "#" ? "h2" : mark === "-# " ? "small" : "p", {}, ...inline(m[2])));
    }
  }
  return out;
}

const inline = (said) => [...said.matchAll(/\*\*(.+?)\*\*|\*(.+?)\*|`+(.+?)`+|<t:(\d+)(?::\w)?>|\[(.+?)\]\(.+?\)|\\(.)|([^*`<[\\]+|.)/gu)].map((m) =>
  m[1] ? make("strong", {}, ...inline(m[1])) : m[2] ? make("em", {}, ...inline(m[2])) : m[3] ? make("code", { textContent: m[3] })
    : m[4] ? moment(+m[4]) : m[5] ?? m[6] ?? m[7] ?? "");

const moment = (seconds) => new Date(seconds * 1000).toLocaleString(language, { dateStyle: "medium", timeStyle: "short" });
const until = (seconds) => `${words.until} ${moment(seconds)}`;

function draw() {
  const keyed = document.activeElement?.matches(":is(#board, #hand, #ask) :focus-visible");
  const s = state, q = s.question, mover = s.seats.find((x) => x.toMove), full = at === null && whole();
  $("main").hidden = false;
  $("home").hidden = true;
  document.documentElement.lang = s.language;
  document.title = (q && !s.plan ? "● " : "") + s.game;
  $("title").textContent = `${s.game} · #${s.table}`;
  $("clock").textContent = s.deadline ? until(s.deadline) : "";
  const then = at === null ? null : s.story.find((x) => x.plays === at)?.said ?? words.begin;
  $("turn").textContent = s.result ?? (s.status !== "playing" ? words[s.status] : mover?.you ? words.yours : words.theirs);
  $("seats").replaceChildren(...s.seats.map((x) => make("li", {
    className: (x === mover ? "to-move " : "") + (x.out ? "out" : ""), textContent: (x.won ? "♛ " : "") + x.name,
  })));
  $("latest").textContent = then ?? (shared || s.plan ? "" : full ? q.expect : s.story.map((x) => x.said).join(" "));
  picture("board", $("picture"), at === null && s.plan ? { picture: "plan", plan: line }
    : full ? { picture: "preview", plays: s.plays, path: q.path } : { picture: "board", plays: at ?? s.plays });
  $("picture").alt = full ? q.effect : then ?? s.description;
  const hand = full ? q.hand : s.hand;
  $("hand").hidden = !hand;
  if (hand) picture("hand", $("cards"), { picture: "hand", plays: s.plays, ...(full && { path: q.path }) });
  $("cards").alt = hand;
  $("board").classList.toggle("old", at !== null);
  marks($("board"), false);
  marks($("hand"), true);
  $("ask").hidden = !q && !s.plan || at !== null;
  if (q || s.plan) {
    $("chosen").textContent = full ? "" : [...s.plan?.said ?? [], q?.said].filter(Boolean).join(" → ");
    $("question").textContent = full ? q.effect : [s.plan?.prompt, q?.prompt].filter(Boolean).join(" ");
    const placed = new Set(q?.targets.flatMap((t) => t.choices));
    const listed = q?.choices.filter((c) => c.list) ?? []; // a few are buttons, too
    const plain = listed.filter((c) => listed.length < 4 || !placed.has(q.choices.indexOf(c)));
    $("choices").replaceChildren(...plain.map((c) => button(c.label, () => choose(c.path))));
    const nav = [], add = (id, onclick, className = "", more = "") => nav.push(button(words[id] + more, onclick, { id, className }));
    if (q?.complete && s.plan) add("take", () => planOn(q.path));
    else if (q?.complete) add("play", () => play(q.path), "go", full ? "" : ": " + q.effect);
    if (s.plan?.complete && !q?.said) add("leave", leavePlan, "go");
    if (q?.back !== undefined) add("back", () => choose(q.back));
    else if (line) add("back", () => plan(line.replace(/;?[^;]*$/, "")));
    if (s.plan) add("stop", () => plan(null));
    $("nav").replaceChildren(...nav);
  }
  for (const [id, parts] of [["offer", s.offer?.parts], ["planned", !s.plan && s.planned?.parts],
    ["report", s.report?.parts ?? (s.pending && [{ text: words.looking }])]]) {
    $(id).hidden = !parts;
    $(id).replaceChildren(...(parts || []).map(part));
  }
  $("story").hidden = !s.story.length;
  $("told").replaceChildren(...s.story.map((x) => make("li", { className: at === x.plays ? "shown" : "",
    onclick: () => show(x.plays) }, x.said, ...x.note ? [make("small", {}, ...inline(x.note))] : [])));
  const step = $("told").querySelector(".shown");
  $("told").scrollTop = step ? step.offsetTop - 40 : $("told").scrollHeight;
  Object.assign($("step"), { hidden: !shared, min: (s.story[0]?.plays ?? 1) - 1, max: s.plays, value: at ?? s.plays });
  $("more").hidden = !!shared;
  $("earlier").disabled = before() === undefined;
  $("later").disabled = $("now").disabled = at === null;
  $("more").replaceChildren(...(s.canPlan && !s.plan ? [button(words.plan, () => plan(""), { id: "plan" })] : []),
    ...row(s.buttons).childNodes, option("preview", preview, (on) => { preview = on; }),
    option("loud", loud, (on) => { loud = on; sound(true); }));
  if (keyed && !document.activeElement.offsetParent) { // what had the focus is gone
    (q && ($("play") ?? document.querySelector(".mark, #choices button")) || $("turn")).focus();
  }
  $("main").setAttribute("aria-busy", "false");
  $("main").dataset.drawn++;
  drawNext();
  fit();
}

// fit keeps the next choice in sight with smaller pictures, of one size for most questions. If they would be too small
// to read, the choices scroll, and the news gets one line if need be.
function fit() {
  const high = (img) => img.offsetParent ? img.naturalHeight / img.naturalWidth : 0, table = $("table");
  const pictures = high($("picture")) + high($("cards")), below = innerWidth < 900, least = 240;
  const choices = $("choices"), news = $("latest");
  const room = () => innerHeight - table.offsetTop - 20 - (below && Math.max(175, $("ask").offsetHeight));
  const over = () => below && least * pictures - room();
  choices.style.maxHeight = "";
  news.className = "";
  if (over() > 0) choices.style.maxHeight = `${Math.max(96, choices.offsetHeight - over())}px`;
  if (over() > 0) news.className = "brief";
  table.style.width = `max(${least}px, ${room() / pictures}px)`;
  news.classList.toggle("cut", news.scrollHeight > news.clientHeight);
}
addEventListener("resize", fit);

// option is a checkbox whose state the device keeps.
const option = (id, checked, set) => make("label", { className: "row" }, make("input", { type: "checkbox", id, checked,
  onchange: (e) => { set(e.target.checked); kept.set(id, e.target.checked ? "on" : "off"); } }), words[id]);

// picture loads a picture. The last one stays until then.
async function picture(name, img, of) {
  const stage = img.parentElement, key = JSON.stringify([table, state.version, of]);
  const timed = name === "board" ? touched : 0;
  if (timed) touched = 0;
  if (shown[name] === key) return;
  shown[name] = key;
  stage.classList.add("loading");
  try {
    const got = await ask(shared ? "shared" : "picture", { shared, table, ...of });
    if (shown[name] !== key) return;
    if (!(got instanceof Blob)) throw new Error();
    const old = img.src;
    img.src = URL.createObjectURL(got);
    await img.decode().catch(() => {});
    if (old) URL.revokeObjectURL(old);
    stage.hidden = false;
    fit();
    stage.dataset.shows = key;
    stage.classList.remove("loading");
    if (timed) took = Math.round(performance.now() - timed);
  } catch {
    if (shown[name] !== key) return;
    shown[name] = "";
    lookAgain();
  }
}

// whole: nothing is left to choose, and the board shows what the move would do.
const whole = () => !state.plan && state.question?.complete && !state.question.choices.length;

// marks puts a button on each place to touch.
function marks(stage, card) {
  const q = at === null && !whole() ? state.question : null, layer = stage.querySelector(".marks"), had = document.activeElement?.dataset?.at;
  const put = (tag, p, props) => {
    const e = make(tag, { ...props, className: props.className + (card ? " card" : "") });
    const cqw = (n) => `${n * 100}cqw`, size = (n) => cqw(Math.max(n, card ? 0 : .05)); // in widths of the picture
    Object.assign(e.style, { left: cqw(p.x), top: cqw(p.y), width: size(p.w), height: size(p.h) });
    return e;
  };
  const here = (p) => !!p.card === card;
  layer.replaceChildren(...(q?.chosen ?? []).filter(here).map((p) => put("span", p, { className: "chosen" })),
    ...(q?.targets ?? []).filter(here).map((t) => {
      const e = put("button", t, { className: t.shortcut ? "mark shortcut" : "mark", tabIndex: t.shortcut ? -1 : 0,
        ariaLabel: t.choices.map((i) => q.choices[i].label).join(", ") });
      e.dataset.at = `${t.x} ${t.y} ${card}`;
      e.target = t;
      return e;
    }), ...(at === null && whole() && last && here(last) ? [put("span", last, { className: "chosen again" })] : []));
  if (had) [...layer.children].find((e) => e.dataset.at === had)?.focus();
}

// touch chooses the nearest place within a fingertip (44 points). If several are, it asks. A second touch of the last
// choice, once the board has shown the move, plays it. Elsewhere, the marks flash.
function touch(stage, e) {
  const q = state?.question;
  if (!q || at !== null) return;
  const box = stage.querySelector("img").getBoundingClientRect(), card = stage.id === "hand";
  if (e.detail === 0) { // a key
    const t = e.target.closest(".mark")?.target;
    if (t) pick(t.choices, t);
    return;
  }
  const x = (e.clientX - box.left) / box.width, y = (e.clientY - box.top) / box.width, tip = 22 / box.width / visualViewport.scale;
  const again = whole();
  if (again && (!last || stage.classList.contains("loading") || performance.now() - last.when < 500)) return; // no double tap
  const all = (again ? [last] : q.targets).filter((t) => !!t.card === card).map((t) => {
    const dx = Math.max(0, Math.abs(x - t.x) - t.w / 2), dy = Math.max(0, Math.abs(y - t.y) - t.h / 2);
    return { t, out: Math.hypot(dx, dy), d: Math.hypot(x - t.x, y - t.y) };
  }).filter((n) => n.out < tip).sort((a, b) => a.out - b.out || a.d - b.d);
  const marked = all.filter((n) => !n.t.shortcut), near = marked.length ? marked : all;
  if (!near.length) return document.querySelectorAll(".mark").forEach((m) => m.animate({ opacity: [1, .2, 1] }, 400));
  if (again) return play(q.path);
  const by = near[0].out ? "out" : "d"; // beside all, or on one or several that overlap
  const unclear = near.filter((n) => n[by] - near[0][by] < tip / 3 && (near[0].out || !n.out));
  pick([...new Set(unclear.flatMap((n) => n.t.choices))], { ...near[0].t, when: performance.now() });
  return true;
}

// zoom enlarges a picture with two fingers or Ctrl and the wheel. One finger moves it then.
function zoom(stage) {
  let scale = 1, x = 0, y = 0, from = null;
  const box = () => stage.getBoundingClientRect();
  const show = (to, dx, dy) => {
    scale = Math.min(Math.max(to, 1), 5);
    x = Math.min(0, Math.max(dx, box().width * (1 - scale)));
    y = Math.min(0, Math.max(dy, box().height * (1 - scale)));
    stage.style.setProperty("--zoom", `translate(${x}px, ${y}px) scale(${scale})`);
  };
  const around = (to, cx, cy) => {
    const by = Math.min(Math.max(to, 1), 5) / scale;
    show(to, cx - (cx - x) * by, cy - (cy - y) * by);
  };
  const fingers = (e) => {
    const [a, b = a] = e.touches, at = box();
    return { n: e.touches.length, x: (a.clientX + b.clientX) / 2 - at.left, y: (a.clientY + b.clientY) / 2 - at.top,
      apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) };
  };
  const on = (what, does, passive) => stage.addEventListener(what, does, { passive });
  for (const what of ["touchstart", "touchend"]) on(what, (e) => { from = e.touches.length ? fingers(e) : null; }, true);
  on("touchmove", (e) => {
    const now = fingers(e);
    if (from?.n !== now.n) from = now;
    if (now.n > 2 || now.n === 1 && scale === 1) return; // the page scrolls
    if (e.cancelable) e.preventDefault();
    show(scale, x + now.x - from.x, y + now.y - from.y);
    if (now.n === 2 && from.apart) around(scale * now.apart / from.apart, now.x, now.y);
    from = now;
  });
  on("wheel", (e) => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    around(scale * Math.exp(-e.deltaY / 200), e.clientX - box().left, e.clientY - box().top);
  });
}

function pick(which, touched) {
  const choices = which.map((i) => state.question.choices[i]);
  if (choices.length === 1) return choose(choices[0].path, touched);
  open([make("h2", { textContent: words.which }), make("div", { className: "row" }, ...choices.map((c) =>
    button(c.label, () => { $("dialog").close(); choose(c.path); })))]);
}

// before is the step before the shown one.
function before() {
  const { plays, story } = state, now = at ?? plays, begin = story[0]?.plays - 1;
  return story.findLast((x) => x.plays < now)?.plays ?? (now > begin ? begin : undefined);
}
function show(plays) {
  at = plays < state.plays ? plays : null;
  draw();
}
$("earlier").onclick = () => show(before() ?? at);
$("later").onclick = () => show(state.story.find((x) => x.plays > at)?.plays ?? state.plays);
$("now").onclick = () => show(state.plays);
let sliding = 0;
$("step").oninput = (e) => { clearTimeout(sliding); sliding = setTimeout(() => show(+e.target.value), 100); };

async function listGames() {
  const said = await ask("games", {}).catch(() => null);
  if (!said || said.error) return;
  games = said.games ?? [];
  drawNext();
}

function drawNext() {
  if (shared) return;
  if (!table) {
    $("home").hidden = false;
    $("title").textContent = document.title = words.games;
    $("home").replaceChildren(...gameList());
    return;
  }
  const mine = games.filter((g) => g.yourTurn && g.table !== table);
  $("games").textContent = (mine.length ? "● " : "") + words.games + (games.length ? ` (${games.length})` : "");
  $("games").hidden = false;
  $("next").replaceChildren(...(mine.length && !state?.question ? [button(`${words.next}: ${mine[0].game} · #${mine[0].table}`,
    () => turnTo(mine[0].table), { id: "next-game", className: "go" })] : []));
}

$("games").onclick = async () => {
  await listGames();
  open([make("h2", { textContent: words.games }), ...gameList()]);
};

const gameList = () => games.length ? games.map((g) => make("p", {}, button([(g.yourTurn ? "● " : "") + g.game, "#" + g.table,
  g.players.join(", "), ...g.deadline ? [until(g.deadline)] : []].join(" · "), () => { $("dialog").close(); turnTo(g.table); },
  { className: g.yourTurn ? "go" : "" }))) : [make("p", { textContent: words.none })];

function turnTo(to) {
  table = to;
  at = null;
  looking();
  listGames();
  return plan(null);
}

// looking says which table the user sees.
function looking(first) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ ...first, table, hidden: document.hidden }));
}

// listen connects to hear of changes.
function listen() {
  if (!session || socket?.readyState <= WebSocket.OPEN) return;
  socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/api/live");
  socket.onopen = () => looking({ session });
  socket.onmessage = (e) => {
    wait = 1000;
    complain("");
    const said = JSON.parse(e.data);
    if (said.all || said.tables.includes(table)) refresh();
    if (said.all || said.tables.some((t) => t !== table)) listGames();
  };
  socket.onclose = () => {
    if (!session) return;
    setTimeout(listen, wait * (.5 + Math.random()));
    wait = Math.min(wait * 2, 30000);
  };
}

// wake reconnects: the connection may be dead.
function wake() {
  wait = 1000;
  socket?.close();
  listen();
}
let left = 0, tick = Date.now(); // when the user turned away; when the page was awake last
document.addEventListener("visibilitychange", () => {
  looking();
  if (document.hidden) left = Date.now();
  else if (Date.now() - left > 60000) wake();
  else listen();
});
setInterval(() => {
  if (Date.now() - tick > 180000) wake();
  tick = Date.now();
}, 5000);
addEventListener("online", wake);
addEventListener("hashchange", () => location.reload()); // another link
$("main").addEventListener("click", (e) => { // a finger can miss the picture's edge
  const on = e.target.closest(".stage");
  if ((on || e.detail && !e.target.closest("button, label, select, input, #told")) && touch(on ?? $("board"), e)) return;
  if (e.target.matches(".cut")) open([make("p", { textContent: e.target.textContent })]);
});
for (const id of ["board", "hand"]) zoom($(id));

addEventListener("pointerdown", () => { pressed = performance.now() + 800; }); // a scroll has no click
addEventListener("click", () => { pressed = 0; });

// speak has the page say everything in a language.
async function speak(language) {
  words = await (await fetch("/words?language=" + encodeURIComponent(language))).json();
  for (const id of ["games", "happened", "now", "close", "login"]) $(id).textContent = words[id];
  for (const id of ["earlier", "later"]) $(id).ariaLabel = words[id];
  $("step").ariaLabel = words.happened;
}

async function start() {
  await speak(language);
  $("entry").hidden = true;
  if (!await comeIn()) return;
  await refresh();
  if (!shared) await listGames();
  if (state && state.language !== language.slice(0, 2)) {
    await speak(state.language);
    draw();
  }
  listen();
}
start().catch((e) => e.message === "closed" || complain(words.offline ?? "offline"));
