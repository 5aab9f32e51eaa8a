// Texts of strangers stay texts on every page: in the server's markup, and once the page is alive.

import { type Page } from "@playwright/test";
import { expect, onOne, test as plain } from "../support/test.ts";
import { test } from "./office.ts";
import { pages, type Pages } from "./pages.ts";
import { open, Person, type Shop } from "./person.ts";

/** Ends everything that can contain a text. The element after it exists only if one of them has ended. */
const mark = `'"--></title></textarea></script></style></select><img data-planted src=x onerror="planted=1">`;
const planted = "[data-planted]";

/** Puts the mark into each text field of a document, and into all that a visitor may send. */
async function plant(person: Person, { shop, organization, box, contract }: Pages): Promise<{ consent: string }> {
  const put = async (path: string, body: unknown, method = "PATCH"): Promise<void> => {
    const answer = await person.call(method, path, body);
    expect(answer.status, await answer.clone().text()).toBe(200);
  };
  const contact = { name: mark, email: mark, phone: mark, address: mark };
  const steps = ["welcome", "category", "info", "soft_consent"].map((layout, index) => ({
    name: index === 0 ? mark : `step ${index}`,
    layout,
    title: mark,
    topTitle: mark,
    subTitle: mark,
    message: mark,
    strings: { "consent.accept": mark, [mark]: mark },
    ...(layout === "category" ? { vendors: [shop.vendor] } : {}),
  }));
  const buttons = [{ text: mark, value: mark }];
  const texts = { title: mark, subTitle: mark, message: mark };
  const words = { "consent.accept": mark, [mark]: mark };
  await put("/v1/auth/me", { displayName: mark }, "PUT");
  await put(`/v1/organizations/${organization}`, { name: mark }, "PUT");
  await put(`/v1/vault/projects/${shop.project}`, {
    title: mark,
    name: mark,
    fonts: { title: mark, text: mark },
    dpo: contact,
    dataProcessor: contact,
  });
  await put(`/v1/vault/vendors/${shop.vendor}`, {
    title: mark,
    shortDescription: mark,
    longDescription: mark,
    domain: mark,
    company: mark,
    categories: [mark],
    cookieFacts: [{ name: mark, maxAgeSeconds: 60 }],
  });
  await put(`/v1/vault/cookies/${shop.configuration}`, {
    title: mark,
    strings: words,
    consentWidgetStrings: { title: mark, [mark]: mark },
    alwaysOn: [{ title: mark, reason: mark }],
    steps,
    languages: ["fr"],
    translations: {
      fr: {
        strings: words,
        consentWidgetStrings: { title: mark },
        alwaysOn: { [mark]: { title: mark, reason: mark } },
        steps: { [mark]: { title: mark, topTitle: mark, subTitle: mark, message: mark, strings: words } },
      },
    },
  });
  await put(`/v1/vault/processings/${box}`, {
    ...texts,
    name: mark,
    purpose: mark,
    automatedDecisionsContact: mark,
    automatedDecisionsDetails: mark,
    consentWithdraw: mark,
    personalDataTypes: [mark],
    processors: [{ name: mark, shortDescription: mark, role: mark }],
    buttons,
    confirmations: { [mark]: { title: mark, message: mark, backButtonText: mark } },
  });
  await put(`/v1/vault/contracts/${contract}`, { ...texts, name: mark, buttons });
  expect((await person.call("POST", "/v1/auth/keys", { name: mark, scopes: ["read"] })).status).toBe(201);
  const documents = [
    ["ProjectDocument", "projects", shop.project], ["CookieConfiguration", "cookies", shop.configuration], ["CustomVendor", "vendors", shop.vendor],
    ["ConsentBox", "processings", box], ["ContractBox", "contracts", contract],
  ] as const;
  const { components } = (await (await fetch(`${person.placet.url}/v1/openapi.json`)).json()) as { components: { schemas: Record<string, Schema> } };
  for (const [name, collection, id] of documents) {
    const { data } = await person.read(collection, id);
    expect(unmarked(components.schemas[name] ?? {}, [data]), name).toEqual([]);
  }
  // The note of a publish.
  await person.publish(shop.project, mark);
  return { consent: await visit(person, shop, mark) };
}

/** An answer of a visitor with the mark in all that is sent. */
async function visit({ placet }: Person, shop: Shop, token: string): Promise<string> {
  const sent = await fetch(`${placet.url}/v1/app/consents/${shop.project}/cookies/${shop.configuration}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: "https://shop.example", "user-agent": mark },
    body: JSON.stringify({
      accept: false, token, value: mark,
      preferences: {
        vendors: { our_chat: false }, config: { identifier: mark, name: mark, language: mark }, googleConsentMode: { [mark]: mark },
        tcString: mark, addtlConsent: mark, gppString: mark,
      },
    }),
  });
  expect(sent.status, await sent.clone().text()).toBe(201);
  return ((await sent.json()) as { consentId: string }).consentId;
}

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
}

/** Fields of a schema that take any text, and in which none of these values has the mark. */
function unmarked(schema: Schema, values: readonly unknown[], pointer = ""): string[] {
  const within = schema.oneOf?.find(({ properties }) => properties) ?? schema;
  const known = values.filter((value) => value !== null && value !== undefined);
  if (within.properties)
    return Object.entries(within.properties).flatMap(([key, field]) => unmarked(field, known.map((value: any) => value[key]), `${pointer}/${key}`));
  if (within.items) return unmarked(within.items, known.flat(), `${pointer}/*`);
  if (within.additionalProperties) return unmarked(within.additionalProperties, known.flatMap((value) => Object.values(value as object)), `${pointer}/*`);
  // Lines and texts, by the lengths that they may have; texts of other rules are shorter or longer.
  const isFree = [within.type].flat().includes("string") && [1_000, 50_000].includes(within.maxLength ?? 0) && !within.enum;
  return isFree && !known.includes(mark) ? [pointer] : [];
}

/** Addresses whose parameters are shown on pages. */
const asked = (base: string): string[] =>
  [`/?q=`, `/?page=`, `${base}/boxes?q=`, `${base}/vendors?q=`, `${base}/proofs?token=`, `/account?login=`, `/nothing/`].map(
    (path) => path + encodeURIComponent(mark),
  );

const gates = ["/sign-in?next=", "/sign-in?login=", "/sign-up?next=", "/reset-password?token=", "/verify-email?token=", "/invitation?token="];

/** Checks that a page contains the mark as text only. */
async function isText(page: Page, holds: boolean): Promise<void> {
  expect(await page.locator(planted).count(), "elements that a text has made").toBe(0);
  if (holds) expect(await page.title()).toContain(mark);
}

onOne("postgres", () => {
  for (const javaScriptEnabled of [true, false]) {
    plain(`what is typed anywhere is text on every page, with${javaScriptEnabled ? "" : "out"} scripts`, async ({ placet, browser }) => {
      const person = await Person.join(placet);
      const made = await pages(person);
      const { consent } = await plant(person, made);
      const context = await browser.newContext({ javaScriptEnabled });
      await person.enter(context);
      const page = await context.newPage();
      const look = (path: string): Promise<unknown> => (javaScriptEnabled ? open(page, placet.url + path) : page.goto(placet.url + path));
      const base = `/projects/${made.shop.project}`;
      const titled = [base, made.paths.organization, made.paths["editor, general"], made.paths["consent box"]];
      for (const path of [...Object.values(made.paths), `${base}/proofs/${consent}`, ...asked(base)]) {
        await plain.step(path, async () => {
          await look(path);
          await isText(page, titled.includes(path));
        });
      }
      // A stranger's addresses are text, too, and so are the values that a form shows again.
      await context.clearCookies();
      for (const path of gates) {
        await look(path + encodeURIComponent(mark));
        await isText(page, false);
      }
      await look("/sign-in");
      await page.getByLabel("Username or e-mail").fill(mark);
      await page.getByLabel("Password").fill(mark);
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("alert")).toBeVisible();
      await expect(page.getByLabel("Username or e-mail")).toHaveValue(mark);
      await isText(page, false);
      await context.close();
    });
  }

  plain("what is typed anywhere is text in what is published, too", async ({ page, placet, site }) => {
    const person = await Person.join(placet);
    const made = await pages(person);
    await plant(person, made);
    const gated = `<iframe title="Film" data-requires-vendor-consent="our_chat" data-src="about:blank"></iframe>`;
    const boxes = `<form><div data-placet-processing="${made.box}"></div><div data-placet-contract="${made.contract}"></div></form>`;
    for (const lang of ["en", "fr"]) {
      const snippet = `<script async src="${placet.url}/cdn/${made.shop.project}/en.js"></script>`;
      const body = `<!doctype html><html lang="${lang}"><head><title>Shop</title>${snippet}</head><body>${gated}${boxes}</body></html>`;
      await page.context().clearCookies();
      await page.goto(site.put(`/${lang}`, body));
      const part = (name: string) => page.locator(`#placet [part="${name}"]`);
      await expect(part("title")).toHaveText(mark);
      await isText(page, false);
      await part("configure").or(part("next")).first().click();
      await expect(part("toggle")).toHaveCount(1);
      await part("more").first().click();
      await expect(part("details")).toContainText(mark);
      await isText(page, false);
      // All layers to the end.
      for (let layer = 0; layer < 4 && (await part("banner").count()); layer++) {
        await part("next").or(part("accept")).first().click();
        await isText(page, false);
      }
      await expect(page.locator("[data-vendor] [part=placeholder]")).toContainText(mark);
      await expect(page.locator("[data-placet-contract]")).toContainText(mark);
      const box = page.locator("[data-placet-processing]");
      await box.getByRole("button", { name: mark, exact: true }).click();
      await expect(box).toContainText(mark);
      await isText(page, false);
      expect(await page.evaluate(() => (window as any).planted)).toBeUndefined();
    }
    // The page on which visitors read their answers.
    const token = `0199f3a5c0de${"1f".repeat(16)}`;
    await visit(person, made.shop, token);
    await page.goto(`${placet.url}/me/${made.shop.project}#${token}`);
    await expect(page.getByRole("article")).toContainText(mark);
    await isText(page, false);
  });

  plain("a form on a page leads nowhere else", async ({ page, placet, site }) => {
    await open(page, `${placet.url}/sign-in`);
    const refused = page.evaluate(
      () => new Promise((done) => addEventListener("securitypolicyviolation", (event) => done(event.effectiveDirective))),
    );
    await page.evaluate((action) => {
      const form = document.createElement("form");
      form.action = action;
      form.method = "post";
      document.body.append(form);
      form.submit();
    }, `${site.origin}/stolen`);
    expect(await refused).toBe("form-action");
    expect(site.asked).not.toContain("/stolen");
  });

  test("the texts of an invitation stay text", async ({ page, office }) => {
    const [owner, guest] = [await Person.join(office.placet), await Person.join(office.placet)];
    await office.verify(owner);
    const shop = await owner.shop();
    expect((await owner.call("PUT", "/v1/auth/me", { displayName: mark })).status).toBe(200);
    await owner.call("PATCH", `/v1/vault/projects/${shop.project}`, { title: mark });
    const sent = await owner.call("POST", "/v1/auth/invitations", { email: guest.email, projectId: shop.project });
    expect(sent.status).toBe(201);
    await open(page, await office.link(guest.email, "invites you"));
    await expect(page.getByText(mark).first()).toBeVisible();
    await isText(page, false);
  });
});
