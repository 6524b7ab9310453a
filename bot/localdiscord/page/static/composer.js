// The message box. A slash turns it into a command line: the command, then its options as fields. Each option is
// completed from its choices, from the members, roles and channels of the server, or by the bot.
import { $, avatar, h, next, post } from "./dom.js";
import { encode } from "./dialogs.js";

const STRING = 3, INTEGER = 4, BOOLEAN = 5, USER = 6, CHANNEL = 7, ROLE = 8, MENTIONABLE = 9, ATTACHMENT = 11;

export class Composer {
  // world has me, channelID, members(), channels(), roles(), locale() and command(name, options, shown).
  constructor(world) {
    this.world = world;
    this.commands = [];
    this.items = [];
    this.active = -1;
    this.asked = 0;
    this.line = $("line");
    this.popup = $("popup");
    this.form = $("composer");
    this.popup.setAttribute("role", "listbox");
    this.popup.setAttribute("aria-label", "Suggestions");
    this.popup.addEventListener("mousedown", (e) => e.preventDefault()); // the field keeps the focus
    this.form.addEventListener("submit", (e) => e.preventDefault()); // Enter is handled as a key
    next(() => $("hint").classList.contains("bad") && this.hint(""));
    this.reset();
  }

  // setChannel clears the box, and sets the commands and the placeholder of a channel.
  setChannel({ commands, maySend, name }) {
    this.commands = commands.flatMap((c) => flatten(c));
    this.maySend = maySend;
    this.placeholder = maySend ? `Message ${name}, or / for commands` : commands.length ? "You may not write here, but / for commands" : "You may not write here";
    this.reset();
  }

  reset(text = "") {
    this.command = null;
    this.fields = [];
    this.tail = this.input("Message");
    this.tail.id = "tail";
    this.tail.placeholder = this.placeholder ?? "";
    this.tail.value = text;
    this.tail.maxLength = 2000;
    this.hint("");
    this.draw();
    this.hide();
  }

  draw() {
    this.line.replaceChildren(
      ...(this.command ? [h("span", { class: "chip" }, "/" + this.shown(this.command))] : []),
      ...this.fields.map((f) => f.el),
      this.tail,
    );
    this.form.classList.toggle("commanding", !!this.command);
  }

  hint(text, bad) {
    $("hint").textContent = text;
    $("hint").classList.toggle("bad", !!bad);
  }

  input(label) {
    const el = h("input", { type: "text", role: "combobox", "aria-label": label, "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "popup", autocomplete: "off", spellcheck: "false" });
    el.addEventListener("input", () => this.complete(el));
    el.addEventListener("focus", () => this.complete(el));
    el.addEventListener("blur", () => setTimeout(() => document.activeElement?.closest("#composer") || this.hide()));
    el.addEventListener("keydown", (e) => this.key(e, el));
    return el;
  }

  focus() {
    (this.fields.find((f) => f.input === this.last) ?? { input: this.tail }).input.focus();
  }

  // ready focuses the box, except on a touch screen, where the keyboard would cover the channel.
  ready() {
    if (matchMedia("(hover: hover)").matches) this.tail.focus();
  }

  // start puts the beginning of a line into the box, as if it had been typed.
  start(text) {
    this.reset(text);
    this.tail.focus();
  }

  shown(c) {
    return c.words.map((w) => w.name_localizations?.[this.world.locale()] ?? w.name).join(" ");
  }

  text(o, key) {
    return o[`${key}_localizations`]?.[this.world.locale()] ?? o[key];
  }

  // complete shows suggestions for the focused field.
  async complete(el) {
    if (document.activeElement !== el) return;
    this.last = el;
    const field = this.fields.find((f) => f.input === el);
    if (field) {
      field.el.classList.remove("bad");
      return this.completeField(field);
    }
    if (this.command) return this.completeOptions();
    const v = el.value;
    if (v.startsWith("/")) {
      if (this.typed(v)) return;
      const want = v.slice(1).toLowerCase();
      const found = this.commands.filter((c) => this.shown(c).toLowerCase().startsWith(want) || c.name.startsWith(want));
      const also = this.commands.filter((c) => !found.includes(c) && this.shown(c).toLowerCase().includes(want));
      return this.show([...found, ...also].map((c) => ({ label: "/" + this.shown(c), detail: this.text(c.last, "description"), options: c.options.map((o) => this.text(o, "name")), pick: () => this.begin(c) })), found.length + also.length ? "" : "No such command here");
    }
    const m = /(^|\s)([@#])([^\s@#]*)$/.exec(v.slice(0, el.selectionStart));
    if (m) {
      const rest = m[3].toLowerCase();
      const list = m[2] === "@" ? this.world.members().map((u) => ({ label: "@" + u.name, user: u, detail: u.username })) : this.world.channels().map((c) => ({ label: "#" + c.name }));
      return this.show(list.filter((x) => x.label.slice(1).toLowerCase().startsWith(rest)).map((x) => ({ ...x, pick: () => this.replaceWord(el, m[2] + m[3], x.label + " ") })));
    }
    this.hide();
  }

  replaceWord(el, word, by) {
    const at = el.selectionStart;
    el.value = el.value.slice(0, at - word.length) + by + el.value.slice(at);
    el.selectionStart = el.selectionEnd = at - word.length + by.length;
    this.hide();
  }

  // typed begins the command of a line that came as a whole, such as "/play pirat computers: 2", and fills in its
  // options: those that the line names, and the first one with the text before them. It reports whether the line begins
  // with a command and a space.
  typed(line) {
    const low = line.slice(1).toLowerCase();
    const name = (c) => [c.name, this.shown(c).toLowerCase()].find((n) => low.startsWith(n + " "));
    const c = this.commands.find(name);
    if (!c) return false;
    const parts = line.slice(1 + name(c).length).split(/\s([^\s:]+):/); // free text, then names and values in turn
    this.begin(c);
    const fill = (o, value) => {
      if (!o || !value || o.type === ATTACHMENT) return;
      if (!this.fields.some((f) => f.o === o)) this.addField(o, false);
      const { input } = this.fields.find((f) => f.o === o);
      input.value = value;
      size(input);
    };
    const named = (n) => c.options.find((o) => o.name === n || this.text(o, "name").toLowerCase() === n);
    fill(c.options.find((o) => o.required) ?? c.options[0], parts[0].trim());
    for (let i = 1; i < parts.length; i += 2) fill(named(parts[i].toLowerCase()), parts[i + 1].trim());
    this.next();
    return true;
  }

  begin(c) {
    this.command = c;
    this.fields = [];
    this.tail.value = "";
    this.tail.placeholder = c.options.length ? "" : "Enter to send";
    this.tail.setAttribute("aria-label", "Further options");
    for (const o of c.options.filter((o) => o.required)) this.addField(o, false);
    this.draw();
    this.next();
  }

  addField(o, focus = true) {
    const name = this.text(o, "name");
    const input = this.input(name);
    const f = { o, input, value: undefined, file: null };
    f.el = h("label", { class: "option" }, h("span", { class: "option-name" }, name), input);
    if (o.type === ATTACHMENT) {
      const file = h("input", { type: "file", "aria-label": name });
      file.addEventListener("change", () => {
        f.file = file.files[0] ?? null;
        this.next();
      });
      file.addEventListener("keydown", (e) => this.key(e, input));
      f.input = file;
      file.addEventListener("focus", () => this.describe(f));
      input.replaceWith(file);
    }
    input.addEventListener("input", () => {
      f.value = undefined;
      size(input);
    });
    size(input);
    this.fields.push(f);
    this.draw();
    if (focus) f.input.focus();
  }

  describe(f) {
    this.hint(`${this.text(f.o, "name")}: ${this.text(f.o, "description")}`);
  }

  // next goes to the first empty field, or to the end of the line.
  next() {
    const f = this.fields.find((x) => !this.filled(x));
    (f ? f.input : this.tail).focus();
    this.complete(f ? f.input : this.tail);
  }

  filled(f) {
    return f.o.type === ATTACHMENT ? !!f.file : f.input.value !== "";
  }

  completeOptions() {
    const used = new Set(this.fields.map((f) => f.o.name));
    const want = this.tail.value.trim().toLowerCase().replace(/:$/, "");
    const rest = this.command.options.filter((o) => !used.has(o.name) && (this.text(o, "name").toLowerCase().startsWith(want) || o.name.startsWith(want)));
    this.hint(rest.length ? "Enter sends. Tab adds an option." : "Enter sends.");
    const items = rest.map((o) => ({ label: this.text(o, "name"), detail: this.text(o, "description"), pick: () => {
      this.tail.value = "";
      this.addField(o);
    } }));
    this.show(items, "", want === "" ? -1 : 0);
  }

  async completeField(f) {
    this.describe(f);
    const typed = f.value === undefined ? f.input.value : "";
    const want = typed.toLowerCase();
    const take = (label, value) => () => {
      f.input.value = label;
      f.value = value;
      size(f.input);
      this.hide();
      this.next();
    };
    const matching = (list) => list.filter((x) => x.label.toLowerCase().replace(/^[@#]/, "").includes(want.replace(/^[@#]/, ""))).map((x) => ({ ...x, pick: take(x.label, x.value) }));
    const users = () => this.world.members().map((u) => ({ label: "@" + u.name, value: u.id, detail: u.id === this.world.me ? "you" : u.username, user: u }));
    const roles = () => this.world.roles().map((r) => ({ label: "@" + r.name.replace(/^@/, ""), value: r.id, detail: "role" }));
    const o = f.o;
    if (o.choices?.length) return this.show(matching(o.choices.map((c) => ({ label: this.text(c, "name"), value: c.value }))), "No such choice");
    switch (o.type) {
      case BOOLEAN:
        return this.show(matching([{ label: "True", value: true }, { label: "False", value: false }]));
      case USER:
        return this.show(matching(users()), "Nobody of that name");
      case ROLE:
        return this.show(matching(roles()));
      case MENTIONABLE:
        return this.show(matching([...users(), ...roles()]));
      case CHANNEL:
        return this.show(matching(this.world.channels().map((c) => ({ label: "#" + c.name, value: c.id }))));
    }
    if (!o.autocomplete) return this.hide();
    // The bot is asked when the user stops typing. An answer that comes too late is dropped.
    const ask = ++this.asked;
    this.show([], "Loading options…"); // suggestions for earlier text must not be picked
    await new Promise((r) => setTimeout(r, typed === "" ? 0 : 120));
    if (ask !== this.asked || document.activeElement !== f.input) return;
    try {
      const options = await this.options();
      options[o.name] = typed;
      const a = await post("autocomplete", { user: this.world.me, channel: this.world.channelID, name: this.command.name, focus: o.name, options });
      if (ask !== this.asked || document.activeElement !== f.input) return;
      if (a.failed) return this.show([], "Loading options failed");
      this.show(a.choices.map((c) => ({ label: this.text(c, "name"), pick: take(this.text(c, "name"), c.value) })), "No options match what you typed");
    } catch (err) {
      if (ask === this.asked) this.show([], err.message);
    }
  }

  async options() {
    const out = {};
    for (const f of this.fields) {
      if (!this.filled(f)) continue;
      out[f.o.name] = f.file ? await encode(f.file) : f.value ?? this.parse(f);
    }
    return out;
  }

  // parse returns the value of typed text for which nothing was picked. A matching name counts as picked.
  parse(f) {
    const text = f.input.value;
    const low = text.toLowerCase().replace(/^[@#]/, "");
    const choice = f.o.choices?.find((c) => [this.text(c, "name"), String(c.value)].some((x) => x.toLowerCase() === text.toLowerCase()));
    if (choice) return choice.value;
    const by = (list) => list.find((x) => x.name.toLowerCase() === low)?.id;
    if (f.o.type === USER || f.o.type === MENTIONABLE) return by(this.world.members()) ?? text;
    if (f.o.type === ROLE) return by(this.world.roles()) ?? text;
    if (f.o.type === CHANNEL) return by(this.world.channels()) ?? text;
    return text;
  }

  show(items, empty = "", active = 0) {
    this.items = items;
    this.active = items.length ? active : -1;
    this.popup.replaceChildren(
      ...(items.length
        ? items.map((it, i) => h("div", { role: "option", id: `suggestion-${i}`, "aria-selected": "false", onclick: () => it.pick(), onmousemove: () => this.mark(i) },
            it.user && avatar(it.user, true), h("span", { class: "label" }, it.label, it.options?.map((o) => h("i", {}, o))), it.detail && h("small", {}, it.detail)))
        : [h("p", {}, empty)]),
    );
    this.popup.hidden = !items.length && !empty;
    document.activeElement?.setAttribute?.("aria-expanded", String(!this.popup.hidden));
    this.mark(this.active);
  }

  mark(i) {
    this.active = i;
    [...this.popup.children].forEach((el, k) => {
      el.classList.toggle("active", k === i);
      if (el.getAttribute("role")) el.setAttribute("aria-selected", String(k === i));
    });
    const input = document.activeElement;
    if (input?.getAttribute("role") === "combobox") {
      if (i >= 0) input.setAttribute("aria-activedescendant", `suggestion-${i}`);
      else input.removeAttribute("aria-activedescendant");
    }
    this.popup.children[i]?.scrollIntoView({ block: "nearest" });
  }

  hide() {
    this.items = [];
    this.active = -1;
    this.asked++;
    this.popup.hidden = true;
    this.last?.setAttribute("aria-expanded", "false");
    this.last?.removeAttribute("aria-activedescendant");
  }

  key(e, el) {
    const field = this.fields.find((f) => f.input === el || f.el.contains(el));
    const n = this.items.length;
    if (e.altKey || e.isComposing) return;
    if ((e.key === "ArrowDown" || e.key === "ArrowUp") && n) {
      e.preventDefault();
      const step = e.key === "ArrowDown" ? 1 : -1;
      this.mark(this.active < 0 ? (step > 0 ? 0 : n - 1) : (this.active + step + n) % n);
    } else if (e.key === "Tab" && !e.shiftKey && n) {
      e.preventDefault();
      this.items[Math.max(0, this.active)].pick();
    } else if (e.key === "Enter" && !e.shiftKey) {
      e.preventDefault();
      // A picked value is sent. A typed one is completed first.
      if (n && this.active >= 0 && !(field && field.value !== undefined)) this.items[this.active].pick();
      else this.send();
    } else if (e.key === "Escape") {
      e.preventDefault();
      if (!this.popup.hidden) this.hide();
      else if (this.command) {
        this.reset();
        this.tail.focus();
      } else el.blur();
    } else if (e.key === "Backspace" && this.command && (el.value === "" || el.type === "file")) {
      e.preventDefault();
      const i = field ? this.fields.indexOf(field) : this.fields.length;
      if (field && !field.o.required) this.fields.splice(i, 1);
      else if (i === 0) {
        const text = "/" + this.shown(this.command);
        this.reset(text);
        this.tail.focus();
        return;
      }
      this.draw();
      (this.fields[Math.max(0, i - 1)]?.input ?? this.tail).focus();
    } else if (e.key === "ArrowLeft" && el.selectionStart === 0 && el.selectionEnd === 0) {
      const i = field ? this.fields.indexOf(field) : this.fields.length;
      if (i > 0) {
        e.preventDefault();
        this.fields[i - 1].input.focus();
      }
    } else if (e.key === "ArrowRight" && field && el.selectionStart === el.value?.length) {
      e.preventDefault();
      (this.fields[this.fields.indexOf(field) + 1]?.input ?? this.tail).focus();
    } else if (e.key === " " && !this.command && el.value.startsWith("/")) {
      const want = el.value.slice(1).toLowerCase();
      const c = this.commands.find((x) => x.name === want || this.shown(x).toLowerCase() === want);
      if (c) {
        e.preventDefault();
        this.begin(c);
      }
    }
  }

  async send() {
    if (!this.command) return this.say();
    for (const f of this.fields) {
      if (this.filled(f) || !f.o.required) continue;
      f.el.classList.add("bad");
      f.input.focus();
      this.hint(`${this.text(f.o, "name")} is required.`, true);
      return;
    }
    const command = this.command;
    let options;
    try {
      options = await this.options();
    } catch (err) {
      return this.hint(err.message, true);
    }
    const typed = this.fields;
    this.reset();
    this.tail.focus();
    try {
      await this.world.command(command.name, options, this.shown(command));
    } catch (err) {
      // The line is restored, so that the user can correct it.
      if (this.command || this.tail.value) return;
      this.begin(command);
      this.fields = typed;
      this.draw();
      const bad = typed.find((f) => err.message.includes(` ${f.o.name}:`));
      bad?.el.classList.add("bad");
      (bad?.input ?? this.tail).focus();
      this.hint(err.message, true);
    }
  }

  async say() {
    const text = this.tail.value.trim();
    if (!text) return;
    if (text.startsWith("/")) return this.typed(text + " ") || this.hint("No such command here.", true);
    let content = text;
    const by = [...this.world.members().map((u) => ["@" + u.name, `<@${u.id}>`]), ...this.world.channels().map((c) => ["#" + c.name, `<#${c.id}>`])];
    for (const [name, tag] of by.sort((a, b) => b[0].length - a[0].length)) content = content.split(new RegExp(name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "(?![\\w-])")).join(tag);
    this.tail.value = "";
    try {
      await post("say", { user: this.world.me, channel: this.world.channelID, content });
    } catch (err) {
      this.tail.value = text;
      this.hint(err.message, true);
    }
  }
}

const size = (input) => (input.size = Math.max(4, Math.min(40, input.value.length + 1)));

// flatten returns an entry for each subcommand, or one entry for a command without subcommands.
function flatten(c) {
  const out = [];
  const walk = (node, words) => {
    const nested = (node.options ?? []).filter((o) => o.type <= 2);
    if (nested.length) nested.forEach((o) => walk(o, [...words, o]));
    else out.push({ name: words.map((w) => w.name).join(" "), words, last: node, options: node.options ?? [] });
  };
  walk(c, [c]);
  return out;
}
