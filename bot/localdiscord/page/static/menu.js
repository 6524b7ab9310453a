// Select menus, in messages and in modals.
import { avatar, emojiOf, h } from "./dom.js";

let serial = 0;
let choosing = false; // true until the key that chose an option is released, because the key could click the head

// menu builds a select menu. It calls chosen(values, element) with the choice.
export function menu(c, world, chosen) {
  const most = c.max_values ?? 1;
  const least = c.min_values ?? 1;
  const multiple = most > 1;
  const options = choices(c, world);
  let picked = options.filter((o) => o.default).map((o) => o.value);
  const id = `menu-${++serial}`;
  const face = h("span", { class: "face" });
  const head = h("button", { type: "button", class: "select", disabled: !!c.disabled, dataset: { cid: c.custom_id }, "aria-haspopup": "listbox", "aria-expanded": "false", "aria-controls": id }, face, h("span", { class: "arrow", "aria-hidden": "true" }, "▾"));
  const box = h("ul", { class: "listbox", role: "listbox", id, tabindex: "-1", hidden: true, "aria-label": c.placeholder || "Options", "aria-multiselectable": multiple ? "true" : undefined });
  const wrap = h("div", { class: "menu" }, head, box);
  let active = 0;

  const show = () => {
    const names = options.filter((o) => picked.includes(o.value));
    face.replaceChildren(...(names.length ? names.flatMap((o, i) => [i ? ", " : "", o.emoji ? emojiOf(o.emoji) : "", o.label]) : [c.placeholder || "Make a selection"]));
    face.classList.toggle("empty", names.length === 0);
  };
  const draw = () => {
    box.replaceChildren(
      ...options.map((o, i) =>
        h("li", { role: "option", id: `${id}-${i}`, class: i === active ? "active" : "", dataset: { value: o.value }, "aria-selected": String(picked.includes(o.value)), onclick: () => pick(i), onmousemove: () => i !== active && mark(i) },
          o.user && avatar(o.user, true), emojiOf(o.emoji), h("span", { class: "label" }, o.label, o.description && h("small", {}, o.description)), picked.includes(o.value) && h("span", { class: "check", "aria-hidden": "true" }, "✓")),
      ),
    );
    box.setAttribute("aria-activedescendant", `${id}-${active}`);
    box.children[active]?.scrollIntoView({ block: "nearest" });
  };
  const mark = (i) => {
    box.children[active]?.classList.remove("active");
    active = i;
    box.children[active]?.classList.add("active");
    box.setAttribute("aria-activedescendant", `${id}-${active}`);
  };
  const open = () => {
    active = Math.max(0, options.findIndex((o) => picked.includes(o.value)));
    box.hidden = false;
    head.setAttribute("aria-expanded", "true");
    wrap.classList.toggle("up", head.getBoundingClientRect().bottom > innerHeight - 260 && head.getBoundingClientRect().top > 260);
    draw();
    box.focus();
    document.addEventListener("pointerdown", outside, true);
  };
  const shut = (focus = true) => {
    if (box.hidden) return;
    box.hidden = true;
    head.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    if (focus) head.focus();
    if (multiple && picked.length >= least) chosen(picked, head);
  };
  const outside = (e) => wrap.contains(e.target) || shut(false);
  const pick = (i) => {
    const v = options[i]?.value;
    if (v === undefined) return;
    if (!multiple) {
      picked = [v];
      show();
      shut();
      chosen(picked, head);
      return;
    }
    if (picked.includes(v)) picked = picked.filter((x) => x !== v);
    else if (picked.length < most) picked = [...picked, v];
    show();
    draw();
  };
  head.addEventListener("pointerdown", () => { choosing = false; }); // a window without the focus gets no keyup
  head.addEventListener("click", () => {
    if (!box.hidden) shut();
    else if (!choosing) open();
  });
  head.addEventListener("keydown", (e) => {
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      open();
    }
  });
  let typed = "";
  let typedAt = 0;
  box.addEventListener("keydown", (e) => {
    const n = options.length;
    if (e.key === "ArrowDown") active = (active + 1) % n;
    else if (e.key === "ArrowUp") active = (active + n - 1) % n;
    else if (e.key === "Home") active = 0;
    else if (e.key === "End") active = n - 1;
    else if (e.key === "Enter" || e.key === " ") {
      e.preventDefault();
      e.stopPropagation();
      choosing = true;
      document.addEventListener("keyup", () => setTimeout(() => { choosing = false; }), { once: true, capture: true });
      return pick(active);
    } else if (e.key === "Escape") {
      e.preventDefault();
      e.stopPropagation();
      return shut();
    } else if (e.key === "Tab") return shut(false);
    else if (e.key.length === 1 && !e.ctrlKey && !e.altKey) {
      typed = e.timeStamp - typedAt < 700 ? typed + e.key.toLowerCase() : e.key.toLowerCase();
      typedAt = e.timeStamp;
      const i = options.findIndex((o) => o.label.toLowerCase().startsWith(typed));
      if (i >= 0) active = i;
    } else return;
    e.preventDefault();
    e.stopPropagation();
    draw();
  });
  wrap.value = () => picked;
  show();
  return wrap;
}

function choices(c, world) {
  const preset = new Set((c.default_values ?? []).map((d) => d.id));
  const users = () => world.members().map((u) => ({ value: u.id, label: u.name, description: u.bot ? "app" : u.username, user: u, default: preset.has(u.id) }));
  const roles = () => world.roles().map((r) => ({ value: r.id, label: "@" + r.name.replace(/^@/, ""), default: preset.has(r.id) }));
  switch (c.type) {
    case 5:
      return users();
    case 6:
      return roles();
    case 7:
      return [...users(), ...roles()];
    case 8:
      return world.channels().map((x) => ({ value: x.id, label: "#" + x.name, default: preset.has(x.id) }));
    default:
      return c.options;
  }
}
