// Modals and the enlarged picture.
import { $, h } from "./dom.js";
import { markdown } from "./markdown.js";
import { menu } from "./menu.js";

export function enlarge(src, alt) {
  const box = $("lightbox");
  const close = () => box.close();
  box.replaceChildren(h("figure", {}, h("img", { src, alt }), alt && h("details", {}, h("summary", {}, "Description"), h("p", {}, alt))), h("button", { type: "button", class: "close", "aria-label": "Close", autofocus: true, onclick: close }, "✕"), h("a", { href: src, target: "_blank", rel: "noreferrer noopener", class: "open" }, "Open original"));
  box.onclick = (e) => (e.target === box || e.target.tagName === "FIGURE") && close();
  box.showModal();
}

// openMenu shows a context menu. Each choice has a label and a function pick.
export function openMenu(title, choices) {
  const box = $("modal");
  const entry = (c) => h("button", { type: "button", class: "button secondary", onclick: () => (box.close(), c.pick()) }, c.label);
  box.setAttribute("aria-label", title);
  box.replaceChildren(h("form", { method: "dialog" }, h("h2", {}, title), h("div", { class: "inputs" }, choices.map(entry)),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "button plain", onclick: () => box.close() }, "Cancel"))));
  box.showModal();
  box.querySelector("button")?.focus();
}

// openModal shows the bot's modal. send(options) submits it, and throws an error if that fails.
export function openModal(modal, world, send) {
  const box = $("modal");
  const readers = {};
  const error = h("p", { class: "failure", role: "alert", hidden: true });
  const form = h("form", { method: "dialog" }, h("h2", {}, modal.title), h("div", { class: "inputs" }, modal.components.map((c) => part(c, world, readers))), error,
    h("div", { class: "buttons" }, h("button", { type: "button", class: "button plain", onclick: () => box.close() }, "Cancel"), h("button", { type: "submit", class: "button primary" }, "Submit")));
  form.addEventListener("submit", async (e) => {
    e.preventDefault();
    const submit = form.querySelector("[type=submit]");
    submit.disabled = true;
    try {
      const options = {};
      for (const [id, read] of Object.entries(readers)) {
        const v = await read();
        if (v !== undefined) options[id] = v;
      }
      await send(options);
      box.close();
    } catch (err) {
      error.textContent = err.message;
      error.hidden = false;
      submit.disabled = false;
    }
  });
  box.setAttribute("aria-label", modal.title);
  box.replaceChildren(form);
  box.showModal();
  form.querySelector("input, textarea, .select")?.focus();
}

function part(c, world, readers, label) {
  switch (c.type) {
    case 1:
      return c.components.map((x) => part(x, world, readers));
    case 10:
      return h("div", { class: "text" }, markdown(c.content, world));
    case 18: {
      const required = c.component.required !== false;
      const inner = part(c.component, world, readers, c.label);
      return h("div", { class: "input" }, h("span", { class: "label" }, c.label, required && h("b", { "aria-hidden": "true" }, " *")), c.description && h("small", {}, c.description), inner);
    }
    case 4: {
      const tag = c.style === 2 ? "textarea" : "input";
      const input = h(tag, { name: c.custom_id, placeholder: c.placeholder, required: c.required !== false, minlength: c.min_length === undefined ? undefined : String(c.min_length), maxlength: String(c.max_length ?? 4000), "aria-label": c.label ?? label, autocomplete: "off" });
      input.value = c.value ?? "";
      readers[c.custom_id] = () => input.value;
      if (c.style === 2) input.addEventListener("keydown", (e) => e.key === "Enter" && (e.ctrlKey || e.metaKey) && input.form.requestSubmit());
      return c.label ? h("label", { class: "input" }, h("span", { class: "label" }, c.label, c.required !== false && h("b", { "aria-hidden": "true" }, " *")), input) : input;
    }
    case 19: {
      const most = c.max_values ?? 1;
      const input = h("input", { type: "file", name: c.custom_id, required: c.required !== false, multiple: most > 1, "aria-label": label });
      readers[c.custom_id] = () => (input.files.length ? Promise.all([...input.files].map(encode)) : undefined);
      return input;
    }
    case 21:
    case 22: {
      const radio = c.type === 21;
      const boxes = c.options.map((o) => h("input", { type: radio ? "radio" : "checkbox", name: c.custom_id, value: o.value, checked: !!o.default, required: radio && c.required !== false }));
      readers[c.custom_id] = () => {
        const picked = boxes.filter((b) => b.checked).map((b) => b.value);
        return radio ? picked[0] : picked;
      };
      return h("div", { class: "group", role: radio ? "radiogroup" : "group", "aria-label": label },
        c.options.map((o, i) => h("label", { class: "choice" }, boxes[i], h("span", {}, o.label, o.description && h("small", {}, o.description)))));
    }
    case 23: {
      const box = h("input", { type: "checkbox", name: c.custom_id, checked: !!c.default, "aria-label": label });
      readers[c.custom_id] = () => box.checked;
      return box;
    }
    default: {
      const el = menu(c, world, () => {});
      readers[c.custom_id] = () => el.value();
      return el;
    }
  }
}

// encode reads a file for sending as JSON.
export function encode(file) {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onerror = () => fail(new Error("The file cannot be read."));
    reader.onload = () => done({ name: file.name, type: file.type, data: reader.result.split(",")[1] ?? "" });
    reader.readAsDataURL(file);
  });
}
