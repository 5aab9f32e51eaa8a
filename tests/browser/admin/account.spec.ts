import { randomUUID } from "node:crypto";
import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { alive, open, Person } from "./person.ts";

const name = (): string => `p${randomUUID().replaceAll("-", "").slice(0, 12)}`;

onOne("sqlite", () => {
  test("signing up shows every broken field at once, keeps what was typed, then lets one in", async ({ page, placet }) => {
    const username = name();
    await open(page, `${placet.url}/sign-up`);
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByLabel("E-mail").fill("not an address");
    await page.getByLabel("Password", { exact: true }).fill("correct horse");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByLabel("Username")).toHaveAccessibleDescription("This field is required.");
    await expect(page.getByLabel("E-mail")).toHaveAccessibleDescription("Enter a valid e-mail address.");
    await expect(page.getByLabel("Your name")).toHaveValue("Ada Lovelace");
    await expect(page.getByLabel("Password", { exact: true })).toHaveValue("correct horse");

    await page.getByLabel("Username").fill(username);
    await page.getByLabel("E-mail").fill(`${username}@shop.example`);
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByRole("heading", { name: "Start with your site" })).toBeVisible();
  });

  test("a password that is easy to guess is refused while it is typed and when it is sent", async ({ page, placet }) => {
    const username = name();
    await open(page, `${placet.url}/sign-up`);
    const password = page.getByLabel("Password", { exact: true });
    const judged = page.locator("form").getByRole("status");
    const button = page.getByRole("button", { name: "Create account" });
    const place = await button.boundingBox();
    await password.fill("a");
    await expect(judged).toContainText("Use at least 10 characters.");
    expect(await button.boundingBox(), "nothing moves while somebody aims").toEqual(place);
    await password.fill("password123");
    await expect(judged).toContainText("This password is easy to guess.");
    await expectAccessible(page);
    await page.getByLabel("E-mail").fill(`${username}@shop.example`);
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(password).toHaveAccessibleDescription(/^This password is easy to guess\./);
    await expect(page.getByLabel("Username")).toHaveAccessibleDescription("This field is required.");
    await page.getByLabel("Username").fill(username);
    await password.fill("correct horse battery");
    await expect(judged).toContainText("Strong");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByRole("heading", { name: "Start with your site" })).toBeVisible();
  });

  test("a taken username is said at its field", async ({ page, placet }) => {
    const person = await Person.join(placet);
    await open(page, `${placet.url}/sign-up`);
    await page.getByLabel("Username").fill(person.username);
    await page.getByLabel("E-mail").fill(`other-${person.username}@shop.example`);
    await page.getByLabel("Password", { exact: true }).fill("correct horse");
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByLabel("Username")).toHaveAccessibleDescription("This username is taken.");
  });

  test("signing in leads back to where one wanted to go, signing out ends the token", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await page.goto(`${placet.url}/account`);
    await expect(page).toHaveURL(`${placet.url}/sign-in?next=/account`);
    await alive(page);
    await page.getByLabel("Username or e-mail").fill(person.username);
    await page.getByLabel("Password", { exact: true }).fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert")).toHaveText("Username or password is wrong.");
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(`${placet.url}/account`);

    const [cookie] = (await context.cookies()).filter(({ name }) => name === "placet_session");
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Lax", path: "/" });
    await alive(page);
    await page.getByText("Ada Lovelace").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect(page).toHaveURL(`${placet.url}/sign-in`);
    const me = await fetch(`${placet.url}/v1/auth/me`, { headers: { authorization: `Bearer ${cookie?.value}` } });
    expect(me.status).toBe(403);
  });

  test("an address of another site is not a return address", async ({ page, placet }) => {
    const person = await Person.join(placet);
    await open(page, `${placet.url}/sign-in?next=//evil.example/`);
    await page.getByLabel("Username or e-mail").fill(person.username);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(`${placet.url}/`);
  });

  test("profile and password can be changed", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    await open(page, `${placet.url}/account`);
    await page.getByLabel("Your name").fill("Augusta Ada King");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    await page.getByLabel("Current password").fill("wrong");
    await page.getByLabel("New password").fill("another horse");
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByLabel("Current password")).toHaveAccessibleDescription("This is not your current password.");
    await page.getByLabel("Current password").fill(person.password);
    await page.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText("Password changed. Your other sessions have ended.")).toBeVisible();
    // This session continues with a new token, and the old one is refused.
    await open(page, `${placet.url}/account`);
    await expect(page.getByLabel("Your name")).toHaveValue("Augusta Ada King");
    expect((await person.call("GET", "/v1/auth/me")).status).toBe(403);
  });

  test("a new password ends the API keys, unless their owner unticks them", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    const key = await person.key("Nightly export");
    await person.enter(context);
    await open(page, `${placet.url}/account`);
    const card = page.getByRole("region", { name: "Password" });
    await expect(card.getByRole("group", { name: "Also end" }).getByText("Nightly export")).toBeVisible();
    await expect(card.getByLabel("API keys (1)")).toBeChecked();
    await expectAccessible(page);
    if (process.env.PLACET_SHOTS) {
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: `${process.env.PLACET_SHOTS}/account-${width}.png`, fullPage: true });
      }
    }
    await card.getByLabel("API keys (1)").uncheck();
    await card.getByLabel("Current password").fill(person.password);
    await card.getByLabel("New password").fill("another horse");
    await card.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText("Password changed. Your other sessions have ended.")).toBeVisible();
    expect(await key.works()).toBe(true);

    // All boxes are ticked again, because the list may have changed.
    await expect(card.getByLabel("API keys (1)")).toBeChecked();
    await card.getByLabel("Current password").fill("another horse");
    await card.getByLabel("New password").fill("a third horse");
    await card.getByRole("button", { name: "Change password" }).click();
    await expect(card.getByLabel("API keys (1)")).toHaveCount(0);
    expect(await key.works()).toBe(false);
  });

  test.describe("without JavaScript", () => {
    test.use({ javaScriptEnabled: false });

    test("signing up, in and out, and reading", async ({ page, placet }) => {
      const username = name();
      await page.goto(`${placet.url}/sign-up`);
      await page.getByLabel("Username").fill(username);
      await page.getByLabel("E-mail").fill("nonsense");
      await page.getByLabel("Password", { exact: true }).fill("correct horse");
      await page.getByRole("button", { name: "Create account" }).click();
      await expect(page).toHaveURL(`${placet.url}/sign-up`);
      await expect(page.getByLabel("E-mail")).toHaveAccessibleDescription("Enter a valid e-mail address.");
      await expect(page.getByLabel("Username")).toHaveValue(username);
      await page.getByLabel("E-mail").fill(`${username}@shop.example`);
      await page.getByLabel("Password", { exact: true }).fill("correct horse");
      await page.getByRole("button", { name: "Create account" }).click();
      await expect(page.getByRole("heading", { name: "Start with your site" })).toBeVisible();

      await page.locator("summary", { hasText: username }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await expect(page).toHaveURL(`${placet.url}/sign-in`);
      await page.getByLabel("Username or e-mail").fill(username);
      await page.getByLabel("Password", { exact: true }).fill("wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByRole("alert")).toHaveText("Username or password is wrong.");
      await expect(page.getByLabel("Username or e-mail")).toHaveValue(username);
      await page.getByLabel("Password", { exact: true }).fill("correct horse");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page).toHaveURL(`${placet.url}/`);
    });

    test("every page of a project reads", async ({ page, placet, context }) => {
      const person = await Person.join(placet);
      const shop = await person.shop();
      await person.publish(shop.project);
      await person.consent(shop, "visitor-1", { our_chat: false });
      await person.enter(context);
      const base = `${placet.url}/projects/${shop.project}`;
      await page.goto(base);
      await expect(page.getByRole("heading", { name: "Corner shop", level: 1 })).toBeVisible();
      await page.goto(`${base}/widget`);
      await expect(page.getByRole("link", { name: "English" })).toBeVisible();
      await page.goto(`${base}/widget/${shop.configuration}?at=step-2`);
      await expect(page.getByText("Our chat")).toBeVisible();
      await page.goto(`${base}/install`);
      await expect(page.locator("code", { hasText: shop.project }).first()).toBeVisible();
      await page.goto(`${base}/proofs?outcome=refused`);
      await page.locator("tbody a").first().click();
      await expect(page.getByRole("heading", { name: "Proof of consent" })).toBeVisible();
    });
  });

  test("appearance and language are kept", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    await open(page, placet.url);
    await page.locator("summary", { hasText: "Ada" }).click();
    await page.getByRole("button", { name: "Dark" }).click();
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await alive(page);
    await page.locator("summary", { hasText: "Ada" }).click();
    await page.getByRole("button", { name: "Français" }).click();
    await expect(page.getByRole("heading", { name: "Projets" })).toBeVisible();
    await expect(page.locator("html")).toHaveAttribute("lang", "fr");
  });

  test("server functions answer our own pages only, and the cookie is nothing to the API", async ({ placet }) => {
    const person = await Person.join(placet);
    const cookie = `placet_session=${person.token}`;
    const call = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${placet.url}/ui/account`, {
        method: "POST",
        headers: { "content-type": "application/json", cookie, ...headers },
        body: "{}",
      });
    expect((await call({ origin: placet.url })).status).toBe(200);
    expect((await call({ origin: "https://evil.example" })).status).toBe(403);
    expect((await call({ "sec-fetch-site": "cross-site", origin: placet.url })).status).toBe(403);
    expect((await call({})).status).toBe(403);
    expect((await call({ origin: placet.url, cookie: "" })).status).toBe(403);
    expect((await fetch(`${placet.url}/v1/auth/me`, { headers: { cookie } })).status).toBe(403);
  });

  test("pages carry a policy under which only their own scripts run", async ({ page, placet }) => {
    const answer = await page.goto(`${placet.url}/sign-in`);
    const headers = answer?.headers() ?? {};
    expect(headers["content-security-policy"]).toMatch(
      /^default-src 'self'; script-src 'nonce-[\w+/=-]+' 'strict-dynamic' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    );
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });
});
