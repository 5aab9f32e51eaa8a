// Texts of strangers stay texts on every page: in the server's markup, and once the page is alive.

import { type Page } from "@playwright/test";
import { expect, onOne, test as plain } from "../support/test.ts";
import { test } from "./office.ts";
import { pages, type Pages } from "./pages.ts";
import { open, Person } from "./person.ts";

/** Ends everything that can contain a text. The element after it exists only if one of them has ended. */
const mark = `'"--></title></textarea></script></style></select><img data-planted src=x onerror="planted=1">`;
const planted = "[data-planted]";

/** Puts the mark into each text field of a document. */
async function plant(person: Person, { shop, organization, box, contract }: Pages): Promise<void> {
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
    categories: [mark],
  });
  await put(`/v1/vault/cookies/${shop.configuration}`, {
    title: mark,
    strings: { "consent.accept": mark, [mark]: mark },
    consentWidgetStrings: { title: mark, [mark]: mark },
    steps,
  });
  await put(`/v1/vault/processings/${box}`, {
    ...texts,
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
      plain.setTimeout(120_000);
      const person = await Person.join(placet);
      const made = await pages(person);
      await plant(person, made);
      const context = await browser.newContext({ javaScriptEnabled });
      await person.enter(context);
      const page = await context.newPage();
      const look = (path: string): Promise<unknown> => (javaScriptEnabled ? open(page, placet.url + path) : page.goto(placet.url + path));
      const base = `/projects/${made.shop.project}`;
      const titled = [base, made.paths.organization, made.paths["editor, general"], made.paths["consent box"]];
      for (const path of [...Object.values(made.paths), ...asked(base)]) {
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
