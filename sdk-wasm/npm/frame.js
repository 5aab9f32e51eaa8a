// A frame that waits for its vendor, in an element whose content no framework knows: the SDK puts its placeholder
// there, with its button, without touching what a framework has drawn.

import { push } from "./index.js";

/** Attributes of the frame itself, and the picture below its placeholder; all others are those of the element around it. */
export const ATTRIBUTES = ["allow", "allowfullscreen", "height", "loading", "name", "placeholder", "referrerpolicy", "sandbox", "title", "width"];

/** Puts the frame into an element. Gives a function that takes it out. */
export function put(holder, vendor, src, attributes) {
  const frame = document.createElement("iframe");
  for (const name of ATTRIBUTES) {
    const value = attributes[name];
    if (value === undefined || value === null || value === false) continue;
    frame.setAttribute(name === "placeholder" ? "data-placeholder" : name, value === true ? "" : value);
  }
  Object.assign(frame.dataset, { requiresVendorConsent: vendor, src });
  // A component may draw its frame before another one has brought the settings.
  push((sdk) => (frame.nonce = sdk.settings.nonce ?? ""));
  holder.replaceChildren(frame);
  return () => holder.replaceChildren();
}
