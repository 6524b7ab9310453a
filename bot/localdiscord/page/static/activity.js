// The Activity: a frame, and the client's side of what Discord's clients and their frames say to each other. Source:
// github.com/discord/embedded-app-sdk, src/Discord.ts and src/commands/authorize.ts.
import { $, h, post } from "./dom.js";

const HANDSHAKE = 0, FRAME = 1, CLOSE = 2, HELLO = 3;
const CANCELLED = 5000, UNKNOWN = 4002;

// openActivity shows an Activity's frame to a user until they close it.
export function openActivity(f, user) {
  const box = $("activity");
  const origin = new URL(f.url).origin;
  const frame = h("iframe", { src: f.url, title: "Activity", sandbox: "allow-scripts allow-forms" + (f.opaque ? "" : " allow-same-origin") });
  const prompt = h("div", { class: "buttons", hidden: true });
  let greeted = false;
  const say = (kind, what) => frame.contentWindow.postMessage([kind, what], f.opaque ? "*" : origin);
  const answer = (said, data, evt = null) => say(FRAME, { cmd: said.cmd, data, evt, nonce: said.nonce });
  async function hear(e) {
    if (e.source !== frame.contentWindow || e.origin !== (f.opaque ? "null" : origin) || !Array.isArray(e.data)) return;
    const [kind, said] = e.data;
    if (kind === HANDSHAKE) {
      if (greeted || said.v !== 1 || said.encoding !== "json" || said.client_id !== f.application || said.frame_id !== f.id) return say(CLOSE, { code: 4000, message: "Invalid handshake" });
      greeted = true;
      say(HELLO, {});
      say(FRAME, { cmd: "DISPATCH", evt: "READY", nonce: null, data: { v: 1, config: { environment: "production" } } });
    } else if (kind === FRAME && greeted && said.cmd === "AUTHORIZE") {
      const choice = (id, label, act) => h("button", { type: "button", id, class: "button primary", onclick: () => { prompt.hidden = true; act(); } }, label);
      prompt.replaceChildren(h("span", {}, "It wants to know who you are."),
        choice("refuse", "Cancel", () => answer(said, { code: CANCELLED, message: "OAuth2 Authorization cancelled" }, "ERROR")),
        choice("agree", "Authorize", () => post("authorize", { user, options: said.args }).then(
          (a) => answer(said, { code: a.code }), (err) => answer(said, { code: UNKNOWN, message: err.message }, "ERROR"))));
      prompt.hidden = false;
    } else if (kind === FRAME && greeted) {
      answer(said, { code: UNKNOWN, message: `Invalid command: ${said.cmd}` }, "ERROR");
    }
  }
  addEventListener("message", hear);
  box.replaceChildren(h("div", { class: "buttons" }, h("button", { type: "button", id: "leave", class: "button secondary", onclick: () => box.close() }, "Leave the Activity")), prompt, frame);
  box.onclose = () => {
    removeEventListener("message", hear);
    box.replaceChildren();
    post("leave", { user, name: f.instance });
  };
  if (!box.open) box.showModal();
}
