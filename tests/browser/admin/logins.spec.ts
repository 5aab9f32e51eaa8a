// Ways to sign in: OpenID Connect providers, linked identities, sessions.

import { randomUUID } from "node:crypto";
import { type Page } from "@playwright/test";
import { expect, expectAccessible, onOne, test as plain } from "../support/test.ts";
import { type Login, type Office, test } from "./office.ts";
import { alive, open, Person } from "./person.ts";

const somebody = (email?: string): Login => {
  const sub = `s${randomUUID().replaceAll("-", "").slice(0, 12)}`;
  return { sub, email: email ?? `${sub}@shop.example`, email_verified: true, name: "Grace Hopper" };
};

onOne("sqlite", () => {
  const through = async (page: Page, office: Office, login: Login | null, from = "/sign-in"): Promise<void> => {
    await office.signsIn(login);
    await open(page, office.placet.url + from);
    await page.getByRole("link", { name: "Continue with Company login" }).click();
  };

  test("a provider signs in and leads to the requested page", async ({ page, office }) => {
    const grace = somebody();
    await through(page, office, grace, "/sign-in?next=/account");
    await expect(page).toHaveURL(`${office.placet.url}/account`);
    await alive(page);
    await expect(page.getByLabel("Your name")).toHaveValue("Grace Hopper");
    await expect(page.getByText("E-mail confirmed")).toBeVisible();
    const ways = page.getByRole("region", { name: "Ways to sign in" });
    await expect(ways.getByText(grace.email)).toBeVisible();
    await expect(ways.getByRole("button", { name: "Remove: Company login" })).toBeDisabled();
    await expectAccessible(page);

    // A second factor stands beside a password. An account without a password chooses one by mail.
    await expect(page.getByRole("region", { name: "Second factor" })).toContainText("Choose one first.");
    await page.getByRole("button", { name: "E-mail me a link to choose a password" }).click();
    await page.goto(await office.link(grace.email, "Choose a new password"));
    await alive(page);
    await page.getByLabel("New password").fill("a horse of my own");
    await page.getByRole("button", { name: "Set the password" }).click();
    await expect(page).toHaveURL(/\/sign-in\?reset=1$/);
  });

  test("signing up offers the provider too", async ({ page, office }) => {
    await through(page, office, somebody(), "/sign-up");
    await expect(page.getByRole("heading", { name: "Start with your site" })).toBeVisible();
  });

  test("a refusal of a provider is shown on the sign-in page", async ({ page, office }) => {
    await through(page, office, null);
    await expect(page.getByRole("alert")).toHaveText("The provider did not sign you in.");
    await alive(page);
    await expectAccessible(page);
    await through(page, office, { ...somebody(), email_verified: false });
    await expect(page.getByRole("alert")).toContainText("The provider has not verified your e-mail address.");
    await page.goto(`${office.placet.url}/v1/auth/oidc/company/callback?state=x&code=y`);
    await expect(page.getByRole("alert")).toContainText("This sign-in could not be completed");
  });

  test("an account is linked by its owner alone, and unlinked again", async ({ page, office, context }) => {
    const { placet } = office;
    const person = await Person.join(placet);
    const login = somebody(person.email);
    await through(page, office, login);
    await expect(page.getByRole("alert")).toContainText("An account with this address already exists.");

    await person.enter(context);
    await open(page, `${placet.url}/account`);
    // A session that somebody left open is not enough.
    const ways = page.getByRole("region", { name: "Ways to sign in" });
    const password = ways.getByLabel("Current password", { exact: true });
    await password.fill("a guess");
    await page.getByRole("button", { name: "Link Company login" }).click();
    await expect(page.getByRole("alert")).toHaveText("This is not your current password.");
    await alive(page);
    await password.fill(person.password);
    await page.getByRole("button", { name: "Link Company login" }).click();
    await expect(page.getByText("Linked. You can now sign in with it.")).toBeVisible();
    await alive(page);
    await password.fill(person.password);
    await page.getByRole("button", { name: "Link Company login" }).click();
    await expect(page.getByRole("alert")).toHaveText("This sign-in is already linked to an account.");

    await alive(page);
    // The password is removed by itself.
    await page.getByRole("button", { name: "Remove: Password" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Current password").fill("a guess");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await expect(dialog.getByText("This is not your current password.")).toBeVisible();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove: Company login" }).click();
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await expect(page.getByRole("button", { name: "Remove: Password" })).toBeDisabled();
    const identities = (await (await person.call("GET", "/v1/auth/identities")).json()) as unknown[];
    expect(identities).toHaveLength(1);
  });

  plain("without providers nothing of them is shown", async ({ page, placet, context }) => {
    await open(page, `${placet.url}/sign-in`);
    await expect(page.getByRole("link", { name: /Continue with/ })).toHaveCount(0);
    const person = await Person.join(placet);
    await person.enter(context);
    await open(page, `${placet.url}/account`);
    await expect(page.getByRole("heading", { name: "Where you are signed in" })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Ways to sign in" })).toHaveCount(0);
  });

  plain("sessions are seen and ended", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    const tokens: string[] = [];
    for (const device of ["curl/8.5.0", "Mozilla/5.0 (Windows NT 10.0; rv:145.0) Gecko/20100101 Firefox/145.0"]) {
      const answer = await fetch(`${placet.url}/v1/auth/local/signin`, {
        method: "POST",
        headers: { "content-type": "application/json", "user-agent": device },
        body: JSON.stringify({ username: person.username, password: person.password }),
      });
      tokens.push(((await answer.json()) as { token: string }).token);
    }
    const works = async (token: string | undefined): Promise<boolean> =>
      (await fetch(`${placet.url}/v1/auth/me`, { headers: { authorization: `Bearer ${token}` } })).ok;
    await person.enter(context);
    await open(page, `${placet.url}/account`);
    const sessions = page.getByRole("region", { name: "Where you are signed in" });
    await expect(sessions.getByRole("listitem")).toHaveCount(3);
    await expect(sessions.getByRole("listitem").first()).toContainText("This session");
    await sessions.getByRole("button", { name: "End: Firefox · Windows" }).click();
    await expect(sessions.getByRole("listitem")).toHaveCount(2);
    expect([await works(tokens[0]), await works(tokens[1])]).toEqual([true, false]);
    await sessions.getByRole("button", { name: "End all others" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End all others" }).click();
    await expect(sessions.getByRole("listitem")).toHaveCount(1);
    expect([await works(tokens[0]), await works(person.token)]).toEqual([false, true]);
  });
});
