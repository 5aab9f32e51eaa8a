// A probe of `__tcfapi`, in a page of any browser: what the interface says ("CMP API v2") of the stub, of the layer, of a
// choice and of the next page. It asks IAB's own platform the same questions as ours.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { TCString, type TCModel } from "@iabtechlabtcf/core";

/** A page, driven by Playwright or by Puppeteer. */
export interface Driven {
  evaluate(script: string): Promise<unknown>;
}

/** IAB's own stub. */
export const foreignStub = async (): Promise<string> => {
  const path = fileURLToPath(new URL("../../node_modules/@iabtechlabtcf/stub/lib/stub.js", import.meta.url));
  return `<script>${await readFile(path, "utf8")}</script>`;
};

/** A tag that comes right behind the stub. */
export const early = `<script>window.early = { heard: [] };
  __tcfapi("ping", 2, (pong, ok) => (early.pong = { ...pong }));
  __tcfapi("addEventListener", 2, (data, ok) => early.heard.push({ ok, ...JSON.parse(JSON.stringify(data)) }));
</script>`;

interface Answer {
  readonly value: any;
  readonly ok: unknown;
  /** True if the answer came before the call had returned. */
  readonly isAtOnce: boolean;
}

/** All that a page says at one time. */
interface Said {
  readonly heard: readonly any[];
  readonly early: any;
  readonly isFunction: boolean;
  readonly hasLocator: boolean;
  readonly pong: Answer;
  readonly data: Answer;
  readonly listening: Answer;
  /** Answers to versions: 0, null, undefined, 1, 3. */
  readonly versions: readonly Answer[];
  readonly unknown: Answer;
  readonly isRemoved: Answer;
  readonly isUnknownRemoved: Answer;
  readonly isFresh: boolean;
  /** Number of calls of the listener that was removed. */
  readonly afterRemoval: number;
  readonly messages: readonly [string, any][];
}

// In the page. Each question is given a second: an interface that says nothing fails its check. The frame is of the same
// origin, because Firefox's driver reports errors of its own for sandboxed frames; `tcf.spec.ts` asks from such a one.
const ASK = `(async () => {
  const ask = (command, version, parameter) => new Promise((done) => {
    let isAtOnce = true;
    __tcfapi(command, version, (value, ok) => done({ value, ok, isAtOnce }), parameter);
    isAtOnce = false;
    setTimeout(() => done({ isAtOnce }), 1000);
  });
  const listening = await ask("addEventListener", 2);
  let one, calls = 0;
  __tcfapi("addEventListener", 2, (data) => { calls++; one ||= data; });
  __tcfapi("removeEventListener", 2, () => {}, one?.listenerId);
  window.counted ||= () => calls;
  const again = await ask("getTCData", 2);
  if (again.value?.vendor) again.value.vendor.consents.spoilt = true;
  const data = await ask("getTCData", 2);
  const messages = [];
  await new Promise((done) => {
    setTimeout(done, 1000);
    addEventListener("message", ({ data }) => Array.isArray(data?.answered) && messages.push(data.answered) === 2 && done());
    const frame = document.createElement("iframe");
    frame.srcdoc = '<script>onmessage=({data})=>parent.postMessage({answered:[typeof data,typeof data=="string"?JSON.parse(data):data]},"*");' +
      'const call={__tcfapiCall:{command:"ping",version:2,callId:"a"}};parent.postMessage(call,"*");parent.postMessage(JSON.stringify(call),"*")</' + 'script>';
    document.body.append(frame);
  });
  return JSON.parse(JSON.stringify({
    heard: early.heard, early: early.pong, isFunction: typeof __tcfapi === "function", hasLocator: Boolean(frames.__tcfapiLocator),
    pong: await ask("ping", 2), data, listening, isFresh: !data.value?.vendor?.consents.spoilt,
    versions: [await ask("getTCData", 0), await ask("getTCData", null), await ask("getTCData"), await ask("getTCData", 1), await ask("getTCData", 3)],
    unknown: await ask("noSuchCommand", 2),
    isRemoved: await ask("removeEventListener", 2, listening.value?.listenerId), isUnknownRemoved: await ask("removeEventListener", 2, 4711),
    afterRemoval: counted(), messages,
  }));
})()`;

export const ask = async (page: Driven): Promise<Said> => (await page.evaluate(ASK)) as Said;
/** The events that the early tag has heard. */
export const heard = async (page: Driven): Promise<string[]> =>
  (await page.evaluate("early.heard.map(({ eventStatus }) => eventStatus)")) as string[];

/** Ids that are true. */
const yes = (flags: Record<string, boolean> = {}): number[] =>
  Object.keys(flags).filter((id) => flags[id]).map(Number).sort((a, b) => a - b);
const ids = (vector: TCModel["vendorConsents"]): number[] => [...vector].flatMap(([id, is]) => (is ? [id] : []));
const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
const decode = (text: unknown): TCModel | undefined => {
  try {
    return TCString.decode(String(text));
  } catch {
    return undefined;
  }
};
const areNumbers = (...values: unknown[]): boolean => values.every((value) => typeof value === "number");
const areFlags = (...values: unknown[]): boolean => values.every((value) => typeof value === "boolean");
const agrees = (data: any, model: TCModel | undefined): boolean =>
  model !== undefined &&
  isSame(yes(data.purpose?.consents), ids(model.purposeConsents)) &&
  isSame(yes(data.purpose?.legitimateInterests), ids(model.purposeLegitimateInterests)) &&
  isSame(yes(data.vendor?.consents), ids(model.vendorConsents)) &&
  isSame(yes(data.vendor?.legitimateInterests), ids(model.vendorLegitimateInterests)) &&
  isSame(yes(data.specialFeatureOptins), ids(model.specialFeatureOptins));

interface Story {
  /** With the layer, before an answer. */
  readonly shown: Said;
  /** After everything was accepted. */
  readonly chosen: Said;
  /** On the next page. */
  readonly loaded: Said;
}

const CHECKS: Readonly<Record<string, (story: Story) => boolean>> = {
  "the stub answers ping": ({ shown: { early } }) => early?.cmpLoaded === false && early.cmpStatus === "stub",
  "there is a function": ({ shown, chosen, loaded }) => [shown, chosen, loaded].every(({ isFunction }) => isFunction),
  "frames find a locator": ({ shown }) => shown.hasLocator,
  "ping is answered at once": ({ shown }) => shown.pong.isAtOnce && shown.pong.ok === true,
  "ping has its fields": ({ shown: { pong: { value } } }) =>
    value?.cmpLoaded === true && value.cmpStatus === "loaded" && value.displayStatus === "visible" && /^2/.test(value.apiVersion) &&
    areFlags(value.gdprApplies) && areNumbers(value.cmpId, value.cmpVersion, value.gvlVersion, value.tcfPolicyVersion),
  "the layer is told to whom the stub kept": ({ shown: { heard } }) => isSame(heard.map(({ eventStatus }) => eventStatus), ["cmpuishown"]) && heard[0].ok === true,
  "a choice is told after it": ({ chosen: { heard } }) => isSame(heard.map(({ eventStatus }) => eventStatus), ["cmpuishown", "useractioncomplete"]),
  "a listener keeps its id": ({ chosen: { heard } }) => areNumbers(heard[0]?.listenerId) && heard.every(({ listenerId }) => listenerId === heard[0].listenerId),
  "the next page tells the stored choice": ({ chosen, loaded }) =>
    isSame(loaded.heard.map(({ eventStatus }) => eventStatus), ["tcloaded"]) && loaded.data.value?.tcString === chosen.data.value?.tcString,
  "a listener is called at once": ({ shown, chosen }) =>
    [shown, chosen].every(({ listening: { isAtOnce, ok, value } }) => isAtOnce && ok === true && typeof value?.listenerId === "number"),
  "data have their fields": ({ shown: { data: { value } } }) =>
    value !== undefined && areFlags(value.gdprApplies, value.isServiceSpecific, value.useNonStandardTexts, value.purposeOneTreatment) &&
    areNumbers(value.cmpId, value.cmpVersion, value.tcfPolicyVersion) && /^[A-Z]{2}$/.test(value.publisherCC) && value.cmpStatus === "loaded" &&
    [value.purpose?.consents, value.purpose?.legitimateInterests, value.vendor?.consents, value.vendor?.legitimateInterests, value.specialFeatureOptins,
      value.publisher?.consents, value.publisher?.legitimateInterests, value.publisher?.customPurpose?.consents, value.publisher?.restrictions]
      .every((one) => typeof one === "object"),
  "strings can be read": ({ shown, chosen }) => [shown, chosen].every(({ data }) => decode(data.value?.tcString) !== undefined),
  "strings say who was disclosed": ({ shown, chosen }) =>
    [shown, chosen].every(({ data }) => ids(decode(data.value?.tcString)?.vendorsDisclosed ?? ([] as never)).length > 0),
  "so do data": ({ shown, chosen }) =>
    [shown, chosen].every(({ data: { value } }) => {
      const disclosed = yes(value?.vendor?.disclosedVendors);
      return disclosed.length > 0 && isSame(disclosed, ids(decode(value.tcString)?.vendorsDisclosed ?? ([] as never)));
    }),
  "data agree with the string": ({ shown, chosen }) => [shown, chosen].every(({ data: { value } }) => agrees(value, decode(value?.tcString))),
  "there is no consent before a choice": ({ shown: { data: { value } } }) => {
    const model = decode(value?.tcString);
    return !yes(value?.purpose?.consents).length && !yes(value?.vendor?.consents).length && !yes(value?.specialFeatureOptins).length &&
      model !== undefined && !ids(model.purposeConsents).length && !ids(model.vendorConsents).length;
  },
  "there is consent after it, of disclosed vendors alone": ({ chosen: { data: { value } } }) => {
    const consents = yes(value?.vendor?.consents);
    return consents.length > 0 && consents.every((id) => value.vendor.disclosedVendors?.[id]);
  },
  "the string is of today, for this service alone": ({ chosen: { data: { value } } }) => {
    const model = decode(value?.tcString);
    const day = 86_400_000;
    return model !== undefined && model.isServiceSpecific && value.isServiceSpecific && +model.created === +model.lastUpdated &&
      +model.created % day === 0 && Date.now() - +model.created < 2 * day;
  },
  "the platform is the same everywhere": ({ shown: { pong, data: { value } } }) => {
    const model = decode(value?.tcString);
    return isSame([value?.cmpId, value?.cmpVersion, value?.tcfPolicyVersion], [pong.value?.cmpId, pong.value?.cmpVersion, pong.value?.tcfPolicyVersion]) &&
      isSame([value?.cmpId, value?.cmpVersion], [model?.cmpId, model?.cmpVersion]);
  },
  "versions 0, null and none mean the latest": ({ shown: { versions } }) => versions.slice(0, 3).every(({ ok, value }) => ok === true && Boolean(value?.tcString)),
  "other versions are refused": ({ shown: { versions } }) => versions.slice(3).every(({ ok, value }) => ok === false && value === null),
  "unknown commands are refused": ({ shown: { unknown } }) => unknown.ok === false && unknown.value === null,
  "listeners can be removed, once": ({ shown: { isRemoved, isUnknownRemoved } }) => isRemoved.value === true && isUnknownRemoved.value === false,
  "a removed listener is called no more": ({ chosen }) => chosen.afterRemoval === 1,
  "nobody's answer is another's object": ({ shown }) => shown.isFresh,
  "frames are answered in the form in which they ask": ({ shown: { messages } }) =>
    isSame(messages.map(([form]) => form).sort(), ["object", "string"]) &&
    messages.every(([, { __tcfapiReturn }]) => __tcfapiReturn?.callId === "a" && __tcfapiReturn.success === true && __tcfapiReturn.returnValue.cmpLoaded === true),
};

/** The names of the checks that fail. */
export const failing = (story: Story): string[] => Object.entries(CHECKS).filter(([, holds]) => !holds(story)).map(([name]) => name);
