// h builds an element. Text is always set as text and never as markup, so that nothing written by a bot or a user
// becomes HTML.
export function h(tag, props = {}, ...children) {
  const el = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "class") el.className = value;
    else if (key.startsWith("on")) el.addEventListener(key.slice(2), value);
    else if (key === "dataset") Object.assign(el.dataset, value);
    else if (key in el && typeof value !== "string") el[key] = value;
    else el.setAttribute(key, value === true ? "" : value);
  }
  el.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return el;
}

export const $ = (id) => document.getElementById(id);

// local turns an address on Discord's CDN into one on this server. It returns null for other addresses.
export function local(url) {
  const m = /^https:\/\/(?:cdn\.discordapp\.com|media\.discordapp\.net)(\/attachments\/.*)$/.exec(url ?? "");
  return m ? m[1] : null;
}

// safeLink returns a URL if its scheme is http or https, and otherwise null.
export function safeLink(url) {
  try {
    const u = new URL(url);
    return u.protocol === "https:" || u.protocol === "http:" ? u.href : null;
  } catch {
    return null;
  }
}

// emojiOf returns an element with an emoji, or with the name of a server's emoji.
export const emojiOf = (e) => (e ? h("span", { class: "emoji" }, e.id ? `:${e.name}:` : e.name) : null);

// press is a promise while a button is pressed, and otherwise null. A button that is replaced while it is pressed gets
// no click, so code that redraws the page waits for press. Not every press ends with a click, so the time of a press is
// limited.
export let press = null;
let release, limit;
addEventListener("pointerdown", () => {
  press ??= new Promise((done) => (release = () => done((press = null))));
  clearTimeout(limit);
  limit = setTimeout(() => release(), 800);
});
addEventListener("click", () => release?.());

// next calls back at each click, key and input, before anything else handles it.
export function next(call) {
  for (const what of ["click", "keydown", "input"]) addEventListener(what, call, true);
}

// ask sends a request to this server. The messages of its errors are for the page's user.
async function ask(path, options) {
  let r, body;
  try {
    r = await fetch(`/local/${path}`, options);
    body = await r.json();
  } catch {
    throw new Error("The bot on this computer does not answer. Is it still running?");
  }
  while (press) await press;
  if (!r.ok) throw new Error(body.error);
  return body;
}

export const get = (path, params) => ask(`${path}?${new URLSearchParams(params)}`);

export const post = (path, body) => ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

// redraw replaces the children of an element. If one of them had the focus, the new child with the same data-key gets
// it.
export function redraw(box, ...children) {
  const key = box.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  box.replaceChildren(...children);
  if (key !== undefined) box.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

// The white letter on each of these colours has a contrast of at least 4.5:1.
const hues = ["#5865f2", "#2d7d46", "#a8580f", "#c2417a", "#1f7a8e", "#7a55c2", "#b8543c", "#5c7a29"];

// avatar returns a disc with a user's initial, in a colour that depends on the id. The disc of the bot has an anchor.
export function avatar(user, small) {
  const n = [...(user?.id ?? "0")].reduce((a, c) => (a * 31 + c.charCodeAt(0)) % 9973, 7);
  const el = h("span", { class: small ? "avatar small" : "avatar", "aria-hidden": "true" }, user?.bot ? "⚓" : (user?.name ?? "?").slice(0, 1).toUpperCase());
  el.style.background = user?.bot ? "#35373c" : hues[n % hues.length];
  return el;
}
