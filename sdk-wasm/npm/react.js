"use client";

import { createElement, useEffect, useRef, useSyncExternalStore } from "react";
import { ATTRIBUTES, put } from "./frame.js";
import { currentChoices, hasAnswered, load, push, subscribe } from "./index.js";

const nothing = Object.freeze({});

/** Choices in force: `{<vendor>: boolean}`, empty before the SDK is there and on a server. */
export const useChoices = () => useSyncExternalStore(subscribe, currentChoices, () => nothing);

/** Whether a vendor is allowed now. */
export const useConsent = (vendor) => useChoices()[vendor] === true;

/** Whether the visitor has answered; `undefined` before that is known. */
export const useAnswered = () => useSyncExternalStore(subscribe, hasAnswered, () => undefined);

/** Puts the widget on the page; its properties are those of `load`. */
export function Placet(options) {
  useEffect(() => {
    load(options).catch(console.error);
  }, []);
  return null;
}

/** Shows its children only while a vendor is allowed, else `fallback`. */
export const Consent = ({ vendor, children, fallback = null }) => (useConsent(vendor) ? children : fallback);

// Markup of the site's own: React does not look into it, and the SDK need not wait for React there. One object, since
// React would empty the element for another.
const empty = Object.freeze({ __html: "" });

/** A frame that waits for its vendor, with the SDK's placeholder until then. */
export function ConsentFrame({ vendor, src, ...properties }) {
  const holder = useRef(null);
  const [own, rest] = [{}, {}];
  for (const [name, value] of Object.entries(properties)) {
    const attribute = name.toLowerCase();
    if (ATTRIBUTES.includes(attribute)) own[attribute] = value;
    else rest[name] = value;
  }
  useEffect(() => put(holder.current, vendor, src, own), [vendor, src, JSON.stringify(own)]);
  return createElement("div", { ...rest, ref: holder, dangerouslySetInnerHTML: empty });
}

/** Opens the widget, at the vendor's step if one is named. */
export const openCookies = (vendor) =>
  push((sdk) => (vendor ? sdk.requestConsent(vendor) : sdk.openCookies()));

// React must not compare what the SDK puts into these elements.
const box = (attribute) =>
  function Box({ id, name, required, ...rest }) {
    // Another box is another element: what is drawn and posted is of the box that it was made for.
    const data = { key: [id, name, required].join(), [attribute]: id, "data-name": name };
    if (required !== undefined) data["data-required"] = String(required);
    return createElement("div", { ...rest, ...data, suppressHydrationWarning: true });
  };

/** A consent box, in a form. */
export const ConsentBox = box("data-placet-processing");

/** A contract box, in a form. */
export const ContractBox = box("data-placet-contract");
