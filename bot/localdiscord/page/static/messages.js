// A message as Discord shows it: header, text, embeds, components and files.
import { avatar, emojiOf, h, local, safeLink } from "./dom.js";
import { markdown } from "./markdown.js";
import { menu } from "./menu.js";

const V2 = 1 << 15;

// renderMessage builds a message. world has names and members, and carries out the reader's actions.
export function renderMessage(m, world, grouped) {
  const author = world.userOf(m.author.id);
  const mine = m.pinged.includes(world.me);
  const el = h("article", {
    class: ["message", grouped && "grouped", m.ephemeral && "ephemeral", mine && "pinged"].filter(Boolean).join(" "),
    dataset: { id: m.id, author: m.author.id },
    tabindex: "-1",
    "aria-label": `${author.name}, ${time(m.timestamp)}`,
  });
  const context = origin(m, world);
  if (context) el.append(context);
  if (!grouped) el.append(avatar(author));
  const body = h("div", { class: "body" });
  if (grouped) body.append(h("time", { class: "when aside", datetime: m.timestamp }, time(m.timestamp)));
  else
    body.append(
      h("div", { class: "head" }, h("span", { class: "name" }, author.name), author.bot && h("span", { class: "app" }, "APP"), h("time", { class: "when", datetime: m.timestamp, title: new Date(m.timestamp).toLocaleString() }, day(m.timestamp))),
    );
  if (!m.ephemeral && !m.loading && world.menus(3).length) body.append(h("button", { type: "button", class: "link apps", "aria-label": `Apps: message of ${author.name}, ${time(m.timestamp)}`, title: "Apps", onclick: () => world.apps(m) }, "⋯"));
  if (m.loading) body.append(h("p", { class: "thinking" }, h("span", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")), `${author.name} is thinking…`));
  else if (m.type === 18) body.append(h("div", { class: "text" }, `${author.name} started a thread: `, threadLink(m.message_reference?.channel_id, m.content, world)));
  else content(m, world, body);
  if (m.thread) body.append(h("div", { class: "thread-link" }, "🧵 ", threadLink(m.thread.id, m.thread.name, world)));
  if (m.ephemeral) body.append(h("p", { class: "only-you" }, h("span", { "aria-hidden": "true" }, "👁 "), "Only you can see this · ", h("button", { type: "button", class: "link", onclick: () => world.dismiss(m) }, "Dismiss message")));
  body.append(h("p", { class: "failure", role: "alert", hidden: true }));
  el.append(body);
  return el;
}

// threadLink returns a button that opens a thread. name is the thread's name at the time of the message; world can have
// a newer one.
const threadLink = (id, name, world) => h("button", { type: "button", class: "mention",
  dataset: { thread: id ?? "" }, onclick: () => world.go(id) }, world.named(id) ?? name);

function content(m, world, body) {
  const v2 = (m.flags & V2) !== 0;
  if (m.content) {
    const jumbo = /^(?:\p{Extended_Pictographic}\uFE0F?\s*){1,6}$/u.test(m.content);
    body.append(h("div", { class: jumbo ? "text jumbo" : "text" }, markdown(m.content, world), m.edited_timestamp && edited(m)));
  }
  if (!v2) {
    for (const e of m.flags & 4 ? [] : m.embeds) body.append(embed(e, world));
    const pictures = m.attachments.filter(isPicture);
    if (pictures.length) body.append(gallery(pictures.map((a) => ({ media: a, description: a.description })), world));
    for (const a of m.attachments.filter((a) => !isPicture(a))) body.append(file(a));
  }
  if (m.components.length) body.append(h("div", { class: v2 ? "v2" : "components" }, m.components.map((c) => component(c, m, world))));
  if (v2 && m.edited_timestamp) body.append(edited(m));
}

const edited = (m) => h("span", { class: "edited", title: new Date(m.edited_timestamp).toLocaleString() }, " (edited)");

// origin returns the line above a message: the command that was used, or the message that is answered.
function origin(m, world) {
  if (m.type === 20 && m.interaction_metadata) {
    const who = world.userOf(m.interaction_metadata.user.id);
    return h("div", { class: "origin" }, avatar(who, true), h("span", { class: "name" }, who.name), " used ", h("span", { class: "mention", title: m.line }, (m.line && !m.line.startsWith("/") ? "" : "/") + (m.interaction?.name ?? "command")), m.line.includes(":") && h("span", { class: "line" }, markdown(m.line.slice(m.line.indexOf(" ", 1) + 1).replace(m.interaction?.name.split(" ").slice(1).join(" ") ?? "", ""), world, { headings: false })));
  }
  if (m.type === 19) {
    const r = m.referenced_message;
    if (!r) return h("div", { class: "origin" }, h("em", {}, "Original message was deleted"));
    const who = world.userOf(r.author.id);
    return h("div", { class: "origin" }, avatar(who, true), h("span", { class: "name" }, who.name), h("button", { type: "button", class: "link excerpt", onclick: () => world.go(r.channel_id, r.id) }, excerpt(r, world) || "Click to see the message"));
  }
  return null;
}

function excerpt(m, world) {
  const texts = [m.content];
  const visit = (c) => {
    if (c.content) texts.push(c.content);
    (c.components ?? []).forEach(visit);
  };
  m.components.forEach(visit);
  const box = h("div", {}, markdown(texts.filter(Boolean).join("\n"), world));
  const words = [];
  const read = (node) => (node.nodeType === Node.TEXT_NODE ? words.push(node.data) : (/^(BR|DIV|LI|H\d|SMALL|PRE|BLOCKQUOTE)$/.test(node.tagName) && words.push(" "), node.childNodes.forEach(read)));
  read(box);
  const plain = words.join("").replace(/\s+/g, " ").trim();
  return plain.length > 90 ? plain.slice(0, 90) + "…" : plain;
}

const isPicture = (a) => /^image\/(png|gif|jpeg|webp)/.test(a.content_type ?? "");

function picture(item, world, cls) {
  const src = local(item.media.url);
  const alt = item.description ?? "";
  if (!src) return h("a", { href: safeLink(item.media.url), target: "_blank", rel: "noreferrer noopener" }, alt || item.media.url);
  const img = h("img", { src, alt, width: item.media.width || undefined, height: item.media.height || undefined, loading: "lazy", class: cls });
  const { width, height } = item.media;
  if (!cls && width && height) { // keep space for the picture, so that nothing moves when it loads
    img.style.width = `min(${width}px, var(--tallest) * ${width / height})`;
    img.style.aspectRatio = `${width} / ${height}`;
    img.classList.toggle("strip", width > 2 * height);
  }
  img.addEventListener("error", () => img.replaceWith(h("span", { class: "gone" }, alt || "This picture is no longer kept")));
  const b = h("button", { type: "button", class: "picture", "aria-label": alt ? `Enlarge: ${alt}` : "Enlarge the picture", onclick: () => world.enlarge(src, alt) }, img);
  if (item.spoiler) {
    b.classList.add("hidden-picture");
    b.addEventListener("click", (e) => {
      if (b.classList.contains("hidden-picture")) {
        b.classList.remove("hidden-picture");
        e.stopImmediatePropagation();
      }
    }, { capture: true });
  }
  return b;
}

const gallery = (items, world) => h("div", { class: "gallery n" + Math.min(items.length, 4) }, items.map((it) => picture(it, world)));

function file(a) {
  const size = a.size < 1024 ? `${a.size} bytes` : a.size < 1 << 20 ? `${(a.size / 1024).toFixed(1)} KB` : `${(a.size / (1 << 20)).toFixed(1)} MB`;
  const href = local(a.url);
  return h("div", { class: "file" }, h("span", { "aria-hidden": "true" }, "📄"), h("div", {}, href ? h("a", { href, download: a.filename }, a.filename) : a.filename, h("small", {}, size)));
}

function embed(e, world) {
  const el = h("div", { class: "embed" });
  if (e.color !== undefined && e.color !== null) el.style.borderLeftColor = colour(e.color);
  if (e.author) el.append(h("div", { class: "embed-author" }, e.author.name));
  if (e.title) el.append(h("div", { class: "embed-title" }, e.url ? h("a", { href: safeLink(e.url), target: "_blank", rel: "noreferrer noopener" }, e.title) : markdown(e.title, world, { headings: false })));
  if (e.description) el.append(h("div", { class: "text" }, markdown(e.description, world)));
  if (e.fields?.length)
    el.append(h("div", { class: "fields" }, e.fields.map((f) => h("div", { class: f.inline ? "field inline" : "field" }, h("strong", {}, markdown(f.name, world, { headings: false })), h("div", { class: "text" }, markdown(f.value, world))))));
  if (e.image?.url) el.append(gallery([{ media: e.image }], world));
  if (e.footer || e.timestamp) el.append(h("small", { class: "embed-footer" }, [e.footer?.text, e.timestamp && new Date(e.timestamp).toLocaleString()].filter(Boolean).join(" • ")));
  return el;
}

const colour = (n) => "#" + Number(n).toString(16).padStart(6, "0");

function component(c, m, world) {
  switch (c.type) {
    case 1:
      return h("div", { class: "row" }, c.components.map((x) => component(x, m, world)));
    case 2:
      return button(c, m, world);
    case 3: case 5: case 6: case 7: case 8:
      return menu(c, world, (values, el) => world.act(m, c.custom_id, values, el));
    case 9:
      return h("div", { class: "section" }, h("div", { class: "section-text" }, c.components.map((x) => component(x, m, world))), component(c.accessory, m, world));
    case 10:
      return h("div", { class: "text" }, markdown(c.content, world));
    case 11:
      return picture(c, world, "thumbnail");
    case 12:
      return gallery(c.items, world);
    case 13:
      return file({ filename: c.name || c.file.url.split("/").pop(), size: c.size, url: c.file.url });
    case 14:
      return h("div", { class: `separator ${c.divider === false ? "blank" : ""} ${c.spacing === 2 ? "large" : ""}`, role: c.divider === false ? undefined : "separator" });
    case 17: {
      const el = h("div", { class: c.spoiler ? "container spoiler" : "container" }, c.components.map((x) => component(x, m, world)));
      if (c.accent_color !== undefined) el.style.setProperty("--accent", colour(c.accent_color));
      return el;
    }
    default:
      return h("em", {}, "This component cannot be shown.");
  }
}

function button(c, m, world) {
  const label = [emojiOf(c.emoji), c.label && h("span", {}, c.label)];
  if (c.style === 5) {
    const inner = /^https:\/\/discord\.com\/channels\/(?:\d+|@me)\/(\d+)(?:\/(\d+))?$/.exec(c.url);
    if (inner) return h("button", { type: "button", class: "button secondary", disabled: !!c.disabled, onclick: () => world.go(inner[1], inner[2]) }, label, h("span", { "aria-hidden": "true" }, " ↗"));
    return h("a", { class: "button secondary", href: safeLink(c.url), target: "_blank", rel: "noreferrer noopener" }, label, h("span", { "aria-hidden": "true" }, " ↗"));
  }
  const style = ["", "primary", "secondary", "success", "danger", "secondary", "primary"][c.style];
  return h("button", { type: "button", class: `button ${style}`, disabled: !!c.disabled, dataset: { cid: c.custom_id }, "aria-label": c.label || c.emoji?.name, onclick: (e) => world.act(m, c.custom_id, null, e.currentTarget) }, label);
}

const hands = new Intl.DateTimeFormat("en", { hour: "numeric", minute: "2-digit" }); // created once, because it is slow
const time = (t) => hands.format(new Date(t));

function day(t) {
  const d = new Date(t);
  const days = Math.round((new Date().setHours(0, 0, 0, 0) - new Date(t).setHours(0, 0, 0, 0)) / 86400000);
  return days === 0 ? `Today at ${time(t)}` : days === 1 ? `Yesterday at ${time(t)}` : d.toLocaleDateString("en") + " " + time(t);
}
