// The page on which visitors read what they answered, get the proofs, withdraw and erase.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Page } from "@playwright/test";
import { expect, expectAccessible, onOne, type Placet, test } from "../support/test.ts";
import { Person, type Shop } from "./person.ts";

/** A token as the SDK makes it. */
function key(): string {
  return `0199f3a5c0de${randomBytes(16).toString("hex")}`;
}

/** A published shop that takes consents from its own pages alone. */
async function strictShop(placet: Placet): Promise<{ person: Person; shop: Shop; url: string }> {
  const person = await Person.join(placet);
  const shop = await person.shop();
  const answer = await person.call("PATCH", `/v1/vault/projects/${shop.project}`, { domains: ["shop.example"] });
  expect(answer.status).toBe(200);
  await person.publish(shop.project);
  return { person, shop, url: `${placet.url}/me/${shop.project}` };
}

/** Letters of the languages that have others than Latin ones. */
const letters: Record<string, RegExp> = {
  ar: /\p{Script=Arabic}/u,
  bg: /\p{Script=Cyrillic}/u,
  el: /\p{Script=Greek}/u,
  he: /\p{Script=Hebrew}/u,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u,
  uk: /\p{Script=Cyrillic}/u,
  zh: /\p{Script=Han}/u,
};

interface Spoken {
  lang: string;
  dir: string;
  words: Record<string, string>;
  /** Names of texts that do not stand on the page. */
  missing: string[];
  /** Elements that are wider than their place. */
  wide: string[];
}

/** Runs in the page of somebody who has accepted: opens and asks for everything, and changes nothing on the server. */
function speaks(): Spoken {
  const { lang, dir } = document.documentElement;
  const words = JSON.parse(document.body.dataset.words ?? "{}") as Record<string, string>;
  const all = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("body *")].filter((one) => one.checkVisibility());
  const visible = (text: string | undefined): HTMLElement[] => all().filter((one) => one.textContent === text);
  const missing: string[] = [];
  const wide: string[] = [];
  const look = (state: string, ...names: string[]): void => {
    missing.push(...names.filter((name) => !visible(words[name]).length));
    if (document.documentElement.scrollWidth > innerWidth) wide.push(`${state}: the page`);
    const cut = all().filter((one) => one.matches("h1,p,button,summary,label") && one.scrollWidth > one.clientWidth + 1);
    wide.push(...cut.map((one) => `${state}: ${one.outerHTML}`));
  };
  const press = (name: string): void => visible(words[name]).find((one) => one.matches("button"))?.click();
  if (!visible(words.intro?.replace("{site}", "Corner shop")).length) missing.push("intro");
  look("closed", "title", "accepted", "on", "download", "withdraw", "erase", "limits", "check", "language");
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  look("open", "shown", "kept", "page", "ip", "browser", "token");
  press("withdraw");
  look("withdraw", "ask", "no");
  press("no");
  press("erase");
  look("erase", "askErasure");
  const form = document.querySelector("form");
  if (form) form.hidden = false;
  look("form", "secret", "help", "open");
  return { lang, dir, words, missing, wide };
}

async function fitsItsWidth(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}

onOne("postgres", () => {
  test("a visitor reads own answers, downloads the proof and withdraws", async ({ page, placet }) => {
    const { person, shop, url } = await strictShop(placet);
    const token = key();
    const consent = await person.consent(shop, token, { our_chat: true });
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${url}#${token}`);
    await expect(page.getByRole("heading", { name: "Your answers" })).toBeVisible();
    await expect(page.getByText("What you answered on Corner shop, and the proof of it.")).toBeVisible();
    const answers = page.getByRole("article");
    await expect(answers).toHaveCount(1);
    await expect(answers).toContainText("Everything accepted");
    await expect(answers.getByRole("listitem")).toHaveText(/Our chat\s*allowed/);
    await page.getByText("What you were shown").click();
    await expect(page.getByRole("heading", { name: "Your privacy" })).toBeVisible();
    await expect(page.getByText("You can change your mind at any time.")).toBeVisible();
    await expect(answers).toContainText(/[0-9a-f]{64}/);
    await page.getByText("What is kept with this answer").click();
    await expect(answers).toContainText("127.0.0.0");
    await expect(answers).toContainText(token);
    await expect(page.getByRole("link", { name: "Check the proof" })).toHaveAttribute("href", "/verify");
    await expectAccessible(page);

    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download the proof" }).click();
    const file = await download;
    expect(file.suggestedFilename()).toBe(`${consent}.placet-proof.json`);
    const proof = JSON.parse(await readFile(await file.path(), "utf8"));
    expect(proof.format).toBe("placet-proof/1");
    expect(proof.receipt.header).toMatchObject({ record_id: consent, pii_principal_id: token });

    await page.getByRole("button", { name: "Withdraw my consent" }).click();
    await expect(page.getByText("Withdraw now?")).toBeVisible();
    await page.getByRole("button", { name: "Not now" }).click();
    await expect(page.getByRole("button", { name: "Withdraw my consent" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("status").first()).toContainText("Your withdrawal is stored.");
    const site = page.getByRole("link", { name: "Open the site" });
    await expect(site).toHaveAttribute("href", `https://shop.example/#placet-withdraw=${token.slice(-16)}`);
    await expect(answers).toHaveCount(2);
    await expect(answers.first()).toContainText("Everything refused");
    await expect(answers.first().getByRole("listitem")).toHaveText(/Our chat\s*refused/);
    await expect(page.getByRole("button", { name: "Withdraw my consent" })).toHaveCount(0);
    await expectAccessible(page);
    expect(asked.length).toBeGreaterThan(4);
    expect(asked.filter((address) => address.replace(/#.*/, "").includes(token))).toEqual([]);
    expect(await placet.log()).not.toContain(token);
  });
});

onOne("sqlite", () => {
  test("under a token of the site, a visitor finds the last answer by the receipt that the browser keeps", async ({ page, placet, site }) => {
    const person = await Person.join(placet);
    const shop = await person.shop(site.origin);
    await person.publish(shop.project);
    const snippet = await (await fetch(`${placet.url}/v1/client/${shop.project}/snippet/en`)).text();
    site.put("/", { html: `<!doctype html><html lang="en"><head><title>Shop</title>
      <script>window.placetSettings = { token: "customer 7" };</script>${snippet}</head><body><h1>Shop</h1></body></html>` });
    await page.goto(site.origin);
    const receipt = () => page.evaluate(() => localStorage.getItem("placet_receipt"));
    await expect(page.getByRole("dialog", { name: "Your privacy" })).toBeVisible();
    expect(await receipt()).toBeNull();
    await page.getByRole("button", { name: "Refuse all" }).click();
    await expect.poll(receipt).toContain('"salt"');
    await page.reload();
    await page.getByRole("button", { name: "Privacy choices" }).click();
    await page.getByRole("button", { name: "Let me choose" }).click();
    const link = page.locator("#placet").getByRole("link", { name: String(new Date().getFullYear()) });
    const href = (await link.getAttribute("href")) ?? "";
    expect(href.startsWith(`${placet.url}/me/${shop.project}#%7B%22consentId%22`), href).toBe(true);
    await page.goto(href);
    await expect(async () => {
      await page.reload();
      await expect(page.getByRole("article")).toContainText("Everything refused", { timeout: 1_000 });
    }).toPass();
    await expect(page.getByRole("article")).toHaveCount(1);
    expect(await placet.log()).not.toContain("customer 7");
  });

  test("a visitor erases own answers where the project lets visitors", async ({ page, placet }) => {
    const { person, shop, url } = await strictShop(placet);
    const token = key();
    const consent = await person.consent(shop, token, { our_chat: true });
    await page.goto(`${url}#${token}`);
    await expect(page.getByRole("article")).toBeVisible();
    const erase = page.getByRole("button", { name: "Erase my answers" });
    await expect(erase).toHaveCount(0);
    const lets = { retention: { visitorErasure: true } };
    expect((await person.call("PATCH", `/v1/vault/projects/${shop.project}`, lets)).status).toBe(200);
    await page.reload();
    await erase.click();
    await expect(page.getByText("Everything that you allowed is refused first.")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Not now" }).click();
    await expect(erase).toBeFocused();
    await erase.click();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("status").first()).toContainText("your answers are erased");
    await expect(page.getByRole("link", { name: "Open the site" })).toHaveAttribute("href", `https://shop.example/#placet-withdraw=${token.slice(-16)}`);
    await expect(page.getByRole("article")).toHaveCount(0);
    await expectAccessible(page);
    const answer = await person.call("GET", `/v1/app/consents/${shop.project}`);
    const kept = (await answer.json()) as { consentId: string; outcome: string; token: string }[];
    expect(kept.map((one) => [one.outcome, one.token])).toEqual([
      ["refused", ""],
      ["accepted", ""],
    ]);
    expect(kept[1]?.consentId).toBe(consent);
  });

  test("what opens nothing is said, and a receipt opens its consent", async ({ page, placet }) => {
    const { shop, url } = await strictShop(placet);
    const path = `/v1/app/consents/${shop.project}/cookies/${shop.configuration}`;
    const given = await fetch(placet.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", origin: "https://shop.example" },
      body: JSON.stringify({ accept: true, token: "customer-42", preferences: { vendors: { our_chat: true } } }),
    });
    const receipt = await given.text();
    await page.goto(url);
    const secret = page.getByLabel("Your token or receipt");
    const tell = async (text: string): Promise<void> => {
      await secret.fill(text);
      await page.getByRole("button", { name: "Show my answers" }).click();
    };
    await expectAccessible(page);
    await tell("customer-42");
    await expect(page.getByRole("status")).toContainText("others may guess it");
    await tell(key());
    await expect(page.getByRole("status")).toHaveText("There are no answers for this token.");
    await tell(receipt.replace(/"salt":"../, '"salt":"00'));
    await expect(page.getByRole("status")).toHaveText("Nothing was found for what you pasted.");
    await expect(async () => {
      await tell(receipt);
      await expect(page.getByRole("article")).toContainText("Everything accepted", { timeout: 1_000 });
    }).toPass();
    await expect(page.getByRole("article")).toContainText("our_chat");
    await expect(page.getByText("It is not recorded what you were shown.")).toBeHidden();
    let status = 0;
    await page.route("**/v1/app/proofs/**", (route) => route.fulfill({ status }));
    for (const [next, said] of [
      [409, "This answer was stored without a proof."],
      [410, "No new proof of this answer can be made, because its entry is no longer kept. Proofs that you downloaded stay good."],
    ] as const) {
      status = next;
      await page.getByRole("button", { name: "Download the proof" }).click();
      await expect(page.getByRole("article").getByRole("status")).toHaveText(said);
    }
  });

  test("the page speaks each language of the widget on a phone, with each act", async ({ page, placet }) => {
    const { person, shop, url } = await strictShop(placet);
    const token = key();
    await person.consent(shop, token, { our_chat: true });
    const lets = { retention: { visitorErasure: true } };
    expect((await person.call("PATCH", `/v1/vault/projects/${shop.project}`, lets)).status).toBe(200);
    await page.setViewportSize({ width: 390, height: 844 });
    const read = async (language: string): Promise<Spoken> => {
      await page.goto(`${url}?lang=${language}#${token}`);
      await page.getByRole("article").waitFor();
      return page.evaluate(speaks);
    };
    const english = await read("en");
    await expectAccessible(page);
    const languages = await page.locator("#language option").evaluateAll((all) => all.map((one) => (one as HTMLOptionElement).value));
    expect(languages.length).toBeGreaterThan(30);
    const limits = new Set<string | undefined>();
    for (const language of languages) {
      const spoken = language === "en" ? english : await read(language);
      const { lang, dir, words, missing, wide } = spoken;
      expect({ lang, dir, missing, wide }).toEqual({ lang: language, dir: ["ar", "he"].includes(language) ? "rtl" : "ltr", missing: [], wide: [] });
      limits.add(words.limits);
      // Single words may be those of English.
      const foreign = Object.entries(english.words).filter(([name, text]) => text.includes(" ") && words[name] === text);
      if (language !== "en") expect(foreign, language).toEqual([]);
      const own = letters[language];
      if (own) expect(Object.values(words).filter((text) => !own.test(text)), language).toEqual([]);
      await expectAccessible(page, undefined, "words");
    }
    expect(limits.size).toBe(languages.length);
  });

  test("the page speaks the visitor's language, on a phone and in the dark", async ({ page, placet }) => {
    const { person, shop, url } = await strictShop(placet);
    const token = key();
    await person.consent(shop, token, { our_chat: true });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${url}#${token}`);
    await expect(page.getByRole("article")).toBeVisible();
    for (const fold of await page.locator("summary").all()) await fold.click();
    await fitsItsWidth(page);
    await expectAccessible(page);
    await page.getByLabel("Language").selectOption("ar");
    await expect(page.getByRole("heading", { name: "إجاباتك" })).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("dir", "rtl");
    await expect(page).toHaveURL(`${url}?lang=ar#${token}`);
    await expect(page.getByRole("article")).toBeVisible();
    await fitsItsWidth(page);
    await expectAccessible(page);
  });
});
