// Discord's markdown as DOM nodes.
import { h, safeLink } from "./dom.js";

// markdown renders text. names has the names for mentions, user(id), role(id), channel(id) and direct(id), and
// go(channelID, messageID), which opens a channel or a message. Its functions isMe(id), person(id) and give(name) are
// optional.
export function markdown(text, names, { headings = true } = {}) {
  const out = document.createDocumentFragment();
  const parts = String(text ?? "").split(/(```[\s\S]+?```)/);
  for (const part of parts) {
    const fence = /^```(?:([\w+-]+)\n)?\n?([\s\S]+?)\n?```$/.exec(part);
    if (fence) out.append(h("pre", {}, h("code", {}, fence[2])));
    else if (part !== "") blocks(part.replace(/^\n|\n$/g, ""), out, names, headings);
  }
  return out;
}

function blocks(text, out, names, headings) {
  const lines = text.split("\n");
  let paragraph = null;
  const line = (s) => {
    if (paragraph) paragraph.append(h("br"));
    else out.append((paragraph = h("div", { class: "p" })));
    paragraph.append(...inline(s, names));
  };
  for (let i = 0; i < lines.length; i++) {
    const s = lines[i];
    let m;
    if (headings && (m = /^(#{1,3})\s+(.+)$/.exec(s))) {
      out.append(h("h" + (m[1].length + 2), { class: "md" + m[1].length }, inline(m[2], names)));
      paragraph = null;
    } else if (headings && (m = /^-#\s+(.+)$/.exec(s))) {
      out.append(h("small", { class: "subtext" }, inline(m[1], names)));
      paragraph = null;
    } else if (/^>>>\s/.test(s)) {
      const q = h("blockquote");
      blocks([s.slice(4), ...lines.slice(i + 1)].join("\n"), q, names, headings);
      out.append(q);
      return;
    } else if (/^>\s/.test(s)) {
      const quoted = [];
      for (; i < lines.length && /^>\s/.test(lines[i]); i++) quoted.push(lines[i].slice(2));
      i--;
      const q = h("blockquote");
      blocks(quoted.join("\n"), q, names, headings);
      out.append(q);
      paragraph = null;
    } else if (item(s)) {
      const items = [];
      for (; i < lines.length && item(lines[i]); i++) items.push(item(lines[i]));
      i--;
      out.append(list(items, names));
      paragraph = null;
    } else line(s);
  }
}

function item(s) {
  const m = /^(\s*)([-*]|\d+\.)\s+(.+)$/.exec(s);
  return m && { depth: m[1].length >> 1, number: /\d/.test(m[2]) ? parseInt(m[2], 10) : null, text: m[3] };
}

function list(items, names) {
  const base = items[0].depth;
  const el = h(items[0].number === null ? "ul" : "ol", { start: items[0].number ?? undefined });
  for (let i = 0; i < items.length; i++) {
    const li = h("li", {}, inline(items[i].text, names));
    const nested = [];
    while (i + 1 < items.length && items[i + 1].depth > base) nested.push(items[++i]);
    if (nested.length) li.append(list(nested, names));
    el.append(li);
  }
  return el;
}

const rules = [
  [/\\([\\*_~`|<>#\-[\]()!@:.])/, (m) => [m[1]]],
  [/``(.+?)``|`([^`\n]+)`/, (m) => [h("code", {}, m[1] ?? m[2])]],
  [/\|\|(.+?)\|\|/, (m, n) => [spoiler(inline(m[1], n))]],
  [/\*\*\*(.+?)\*\*\*/, (m, n) => [h("strong", {}, h("em", {}, inline(m[1], n)))]],
  [/\*\*(.+?)\*\*(?!\*)/, (m, n) => [h("strong", {}, inline(m[1], n))]],
  [/__(.+?)__(?!_)/, (m, n) => [h("u", {}, inline(m[1], n))]],
  [/~~(.+?)~~/, (m, n) => [h("s", {}, inline(m[1], n))]],
  [/\*(?!\s)([^*]+?)(?<!\s)\*/, (m, n) => [h("em", {}, inline(m[1], n))]],
  [/(?<![\w])_(?!\s)([^_]+?)_(?![\w])/, (m, n) => [h("em", {}, inline(m[1], n))]],
  [/<@!?(\d+)>/, (m, n) => {
    const open = n.person?.(m[1]);
    const cls = n.isMe?.(m[1]) ? "mention mine" : "mention";
    return [open ? h("button", { type: "button", class: cls, onclick: open }, "@" + n.user(m[1])) : h("span", { class: cls }, "@" + n.user(m[1]))];
  }],
  [/<@&(\d+)>/, (m, n) => [mention("@" + n.role(m[1]))]],
  [/<#(\d+)>/, (m, n) => [h("button", { type: "button", class: "mention", dataset: { channel: m[1] }, onclick: () => n.go(m[1]) }, n.channel(m[1]))]],
  [/<\/([^:>]+):\d+>/, (m, n) => [h("button", { type: "button", class: "mention", onclick: () => n.give?.(m[1]) }, "/" + m[1])]],
  [/<a?:(\w+):\d+>/, (m) => [":" + m[1] + ":"]],
  [/<t:(-?\d+)(?::([tTdDfFR]))?>/, (m) => [timestamp(Number(m[1]), m[2] ?? "f")]],
  [/@(everyone|here)\b/, (m) => [mention(m[0])]],
  [/\[([^\]\n]+)\]\(<?(https?:\/\/[^\s)>]+)>?\)/, (m, n) => [link(m[2], n, inline(m[1], n))]],
  [/<(https?:\/\/[^\s>]+)>/, (m, n) => [link(m[1], n)]],
  [/https?:\/\/[^\s<>]+[^\s<>.,:;"')\]]/, (m, n) => [link(m[0], n)]],
];

function inline(text, names) {
  const out = [];
  while (text !== "") {
    let best = null;
    for (const [re, make] of rules) {
      const m = re.exec(text);
      if (m && (!best || m.index < best.m.index)) best = { m, make };
    }
    if (!best) return [...out, text];
    if (best.m.index > 0) out.push(text.slice(0, best.m.index));
    out.push(...best.make(best.m, names));
    text = text.slice(best.m.index + best.m[0].length);
  }
  return out;
}

const mention = (text) => h("span", { class: "mention" }, text);

function spoiler(children) {
  const el = h("span", { class: "spoiler", role: "button", tabindex: "0", "aria-label": "Spoiler" }, children);
  const show = () => {
    el.classList.add("shown");
    el.removeAttribute("role");
    el.removeAttribute("aria-label");
  };
  el.addEventListener("click", show);
  el.addEventListener("keydown", (e) => e.key === "Enter" && show());
  return el;
}

// link returns a link that opens a new tab or, for a channel or message of Discord, a button that opens it in this
// page.
function link(url, names, children) {
  const m = /^https:\/\/discord\.com\/channels\/(\d+|@me)\/(\d+)(?:\/(\d+))?$/.exec(url);
  if (m) return h("button", { type: "button", class: "mention", onclick: () => names.go(m[2], m[3]) }, children ?? `${m[1] === "@me" ? names.direct(m[2]) : names.channel(m[2])}${m[3] ? " › message" : ""}`);
  return h("a", { href: safeLink(url), target: "_blank", rel: "noreferrer noopener" }, children ?? url);
}

const styles = {
  t: { timeStyle: "short" }, T: { timeStyle: "medium" }, d: { dateStyle: "short" }, D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" }, F: { dateStyle: "full", timeStyle: "short" },
};

function timestamp(seconds, style) {
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return "Invalid date";
  const full = date.toLocaleString("en", styles.F);
  if (style !== "R") return h("time", { class: "stamp", datetime: date.toISOString(), title: full }, date.toLocaleString("en", styles[style]));
  return h("time", { class: "stamp", datetime: date.toISOString(), title: full, dataset: { relative: seconds } }, relative(seconds));
}

const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function relative(seconds) {
  const d = seconds - Date.now() / 1000;
  const a = Math.abs(d);
  const [unit, size] = a < 60 ? ["second", 1] : a < 3600 ? ["minute", 60] : a < 86400 ? ["hour", 3600] : a < 86400 * 30 ? ["day", 86400] : a < 86400 * 365 ? ["month", 86400 * 30] : ["year", 86400 * 365];
  return format.format(Math.round(d / size), unit);
}

setInterval(() => {
  for (const el of document.querySelectorAll("[data-relative]")) {
    const text = relative(Number(el.dataset.relative));
    if (el.textContent !== text) el.textContent = text;
  }
}, 1000);
