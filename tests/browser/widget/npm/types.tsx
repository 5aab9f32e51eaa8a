// Correct and incorrect uses of the package's types. Never run; `npm.spec.ts` checks it.

import { currentChoices, hasAnswered, load, on, push, readChoices, subscribe, type Choices, type Consent as Stored, type PlacetSDK } from "@placet/sdk";
import { Consent, ConsentBox, ConsentFrame, ContractBox, Placet, openCookies, useAnswered, useChoices, useConsent } from "@placet/sdk/react";
import * as vue from "@placet/sdk/vue";
import { createApp, h } from "vue";

const same = <T,>(value: T): T => value;

export async function use(): Promise<void> {
  const sdk: PlacetSDK = await load({ url: "https://consent.example", clientId: "p1", cookiesVersion: "shop-en", userCookiesSameSite: "Strict" });
  await load({ src: "https://cdn.example/p1/shop-en.js", integrity: "sha384-x" });
  // @ts-expect-error The source is required.
  await load({ clientId: "p1" });
  // @ts-expect-error Only one source is permitted.
  await load({ url: "https://a.example", src: "https://b.example/x.js" });
  // @ts-expect-error The setting does not exist.
  await load({ url: "https://a.example", cookieVersion: "x" });
  same<boolean>(sdk.hasAcceptedVendor("matomo"));
  same<Choices>(sdk.getChoices());
  sdk.openCookies("welcome");
  const answer = await sdk.openContract("id");
  same<string | undefined>(answer?.consentId);

  const end: () => void = on("cookies:complete", (choices, event) => {
    same<Choices>(choices);
    same<"cookies:complete">(event);
  });
  end();
  on("consent:saved", (consent) => same<Stored>(consent), { replay: false });
  on("cookies:step:change", ({ step }) => same<string>(step));
  on("consent:signals", (signals) => same<"granted" | "denied" | undefined>(signals.ad_storage));
  on("cookies:*", (detail, event) => same<"cookies:complete" | "cookies:step:change">(event) && same<object>(detail));
  on("*", (_detail, event) => same<string>(event));
  // @ts-expect-error The event does not exist.
  on("cookies:completed", () => {});
  // @ts-expect-error Choices are read-only.
  on("cookies:complete", (choices) => void (choices.matomo = true));
  push((sdk) => sdk.setToken("t"));
  same<() => void>(subscribe(() => same<Choices>(currentChoices())));
  subscribe(() => {}, { replay: false });
  same<boolean | undefined>(hasAnswered());
  same<Choices | undefined>(readChoices(null, { jsonCookieName: "mine" }));
  // @ts-expect-error The setting renames no cookie.
  readChoices("", { token: "x" });
  window._placet?.push((sdk) => sdk.clear());
  same<PlacetSDK | undefined>(window.placetSDK);

  createApp(() => h(vue.Consent, { vendor: "matomo" })).use(vue.placet, { url: "https://consent.example", clientId: "p1" });
  same<boolean>(vue.useConsent("matomo").value);
  same<Choices>(vue.useChoices().value);
  same<boolean | undefined>(vue.useAnswered().value);
  h(vue.ConsentFrame, { vendor: "youtube", src: "https://v.example", title: "Film", width: 320 });
  h(vue.ConsentBox, { id: "x", name: "news", required: true });
  // @ts-expect-error A box requires an id.
  h(vue.ContractBox, { name: 1 });
}

export function Page() {
  const allowed: boolean = useConsent("youtube");
  const choices: Choices = useChoices();
  return (
    <form onSubmit={() => openCookies("youtube")}>
      <Placet url="https://consent.example" clientId="p1" />
      <Consent vendor="matomo" fallback={<p>{String(allowed)}</p>}>{Object.keys(choices).length}</Consent>
      <ConsentFrame vendor="youtube" src="https://v.example" title="Film" width={320} allowFullScreen className="film" />
      {/* @ts-expect-error A frame requires a title. */}
      <ConsentFrame vendor="youtube" src="https://v.example" />
      <p>{String(useAnswered())}</p>
      <ConsentBox id="x" name="news" required className="box" />
      <ContractBox id="y" />
      {/* @ts-expect-error A vendor must be named. */}
      <Consent>x</Consent>
    </form>
  );
}
