import { policy } from "../../policy.js";

export default defineNitroPlugin(({ hooks }) => {
  hooks.hook("render:html", (html, { event }) => {
    const nonce = crypto.randomUUID();
    const mark = (part) => part.replace(/<(script|link)(?=[ >])/g, `<$1 nonce="${nonce}"`);
    html.head = html.head.map(mark);
    html.bodyAppend = html.bodyAppend.map(mark); // not the body, which may hold words of visitors
    setResponseHeader(event, "Content-Security-Policy", policy(nonce));
  });
});
