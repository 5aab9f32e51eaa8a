// Pages that letters link to: new passwords, verification of addresses, invitations; with scripts and
// without.

import { randomUUID } from "node:crypto";
import { type Page } from "@playwright/test";
import { expect, expectAccessible, onOne } from "../support/test.ts";
import { test } from "./office.ts";
import { alive, Person } from "./person.ts";

/** Takes a picture for people to look at, if PLACET_SHOTS is set. */
const shot = async (page: Page, name: string): Promise<void> => {
  if (!process.env.PLACET_SHOTS) return;
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: `${process.env.PLACET_SHOTS}/${name}-${width}.png`, fullPage: true });
  }
};

const address = (): string => `n${randomUUID().replaceAll("-", "").slice(0, 12)}@shop.example`;

onOne("postgres", () => {
  for (const script of [true, false]) {
    test.describe(script ? "with script" : "without script", () => {
      test.use({ javaScriptEnabled: script });

      const visit = async (page: Page, url: string): Promise<void> => {
        await page.goto(url);
        if (script) {
          await alive(page);
          await expectAccessible(page);
        }
      };

      test("a lost password is replaced by a link that works once", async ({ page, office }) => {
        const { placet } = office;
        const person = await Person.join(placet);
        await visit(page, `${placet.url}/sign-in`);
        await page.getByRole("link", { name: "Forgot your password?" }).click();
        await page.getByLabel("E-mail").fill("nonsense");
        await page.getByRole("button", { name: "Send a link" }).click();
        await expect(page.getByLabel("E-mail")).toHaveAccessibleDescription("Enter a valid e-mail address.");
        await expect(page.getByLabel("E-mail")).toHaveValue("nonsense");

        // An unknown address gets the same words.
        const answers: string[] = [];
        for (const email of [address(), person.email]) {
          await visit(page, `${placet.url}/forgot-password`);
          await page.getByLabel("E-mail").fill(email);
          await page.getByRole("button", { name: "Send a link" }).click();
          await expect(page).toHaveURL(`${placet.url}/forgot-password?sent=1`);
          answers.push(await page.getByRole("status").filter({ hasText: "account" }).innerText());
        }
        expect(answers[0]).toBe(answers[1]);

        const link = await office.link(person.email, "Choose a new password");
        await visit(page, link);
        await expect(page.getByText(person.email)).toBeVisible();
        await page.getByRole("button", { name: "Set the password" }).click();
        await expect(page.getByLabel("New password")).toHaveAccessibleDescription("This field is required.");
        await page.getByLabel("New password").fill("a better horse");
        await page.getByRole("button", { name: "Set the password" }).click();
        await expect(page).toHaveURL(`${placet.url}/sign-in?reset=1`);
        await expect(page.getByText("Your password has changed. Sign in with the new password.")).toBeVisible();
        expect((await person.call("GET", "/v1/auth/me")).status, "sessions of before").toBe(403);
        if (script) await alive(page);
        await page.getByLabel("Username or e-mail").fill(person.username);
        await page.getByLabel("Password").fill("a better horse");
        await page.getByRole("button", { name: "Sign in" }).click();
        await expect(page.getByRole("heading", { name: "Start with your site" })).toBeVisible();

        await visit(page, link);
        await expect(page.getByRole("alert")).toContainText("This link has already been used");
        await page.getByRole("link", { name: "Send a link" }).click();
        await expect(page.getByLabel("E-mail")).toBeVisible();
        expect(await placet.log()).not.toContain(new URL(link).searchParams.get("token"));
      });

      test("an address is proved by a press, not by a look", async ({ page, office, context }) => {
        const { placet } = office;
        const person = await Person.join(placet);
        const proved = async (): Promise<unknown> => {
          const me = (await (await person.call("GET", "/v1/auth/me")).json()) as { emailVerified: boolean };
          return me.emailVerified;
        };
        const link = await office.link(person.email, "Confirm your e-mail address");
        await person.enter(context);
        const answer = await page.goto(link);
        expect(answer?.headers()["referrer-policy"]).toBe("no-referrer");
        expect(answer?.headers()["cache-control"]).toBe("no-store");
        await visit(page, link);
        expect(await proved()).toBe(false);
        await page.getByRole("button", { name: "Confirm the address" }).click();
        await expect(page.getByText("Your e-mail address is confirmed.")).toBeVisible();
        expect(await proved()).toBe(true);

        // A stranger only learns that the link has ended. The owner learns that the address is verified.
        await context.clearCookies();
        await visit(page, link);
        await expect(page.getByRole("alert")).toContainText("This link has already been used or has expired.");
        await person.enter(context);
        await visit(page, link);
        await expect(page.getByText("Your e-mail address is confirmed.")).toBeVisible();
      });

      test("a link opened in another browser works after signing in, and nothing ends", async ({ page, office }) => {
        const person = await Person.join(office.placet);
        const link = await office.link(person.email, "Confirm your e-mail address");
        await visit(page, link);
        await expect(page.getByRole("button", { name: "Confirm the address" })).toHaveCount(0);
        await page.getByRole("link", { name: "Sign in to confirm" }).click();
        if (script) await alive(page);
        await page.getByLabel("Username or e-mail").fill(person.username);
        await page.getByLabel("Password").fill(person.password);
        await page.getByRole("button", { name: "Sign in" }).click();
        await expect(page).toHaveURL(link);
        if (script) await alive(page);
        await page.getByRole("button", { name: "Confirm the address" }).click();
        await expect(page.getByText("Your e-mail address is confirmed.")).toBeVisible();
        expect((await person.call("GET", "/v1/auth/me")).status, "the session of before").toBe(200);
      });

      test("confirming without a session takes a new password, and everything made before ends", async ({ page, office }) => {
        const { placet } = office;
        const person = await Person.join(placet);
        const link = await office.link(person.email, "Confirm your e-mail address");
        await visit(page, link);
        await shot(page, `verify-outside-${script}`);
        await page.getByRole("button", { name: "Confirm with a new password" }).click();
        await expect(page.getByLabel("New password")).toHaveAccessibleDescription("This field is required.");
        if (script) await alive(page);
        await page.getByLabel("New password").fill("a horse of my own");
        await page.getByRole("button", { name: "Confirm with a new password" }).click();
        await expect(page.getByText("Your e-mail address is confirmed.")).toBeVisible();
        expect((await person.call("GET", "/v1/auth/me")).status, "the session of before").toBe(403);
        await visit(page, `${placet.url}/sign-in`);
        await page.getByLabel("Username or e-mail").fill(person.username);
        await page.getByLabel("Password").fill("a horse of my own");
        await page.getByRole("button", { name: "Sign in" }).click();
        await expect(page.getByRole("heading", { name: "Start with your site" })).toBeVisible();
      });

      test("a pending address is confirmed only by its own account", async ({ page, office, context }) => {
        const { placet } = office;
        const [person, other] = [await Person.join(placet), await Person.join(placet)];
        const next = address();
        const wish = { displayName: "Ada Lovelace", email: next, presentPassword: person.password };
        expect((await person.call("PUT", "/v1/auth/me", wish)).status).toBe(200);
        const link = await office.link(next, "Confirm your new e-mail address");
        await visit(page, link);
        await expect(page.getByText("Another account asked for this address.")).toBeVisible();
        await expect(page.getByLabel("New password")).toHaveCount(0);
        await other.enter(context);
        await visit(page, link);
        await expect(page.getByText(`You are signed in as ${other.email}.`)).toBeVisible();
        await page.getByRole("button", { name: "Sign out and use another account" }).click();
        if (script) await alive(page);
        await page.getByLabel("Username or e-mail").fill(person.username);
        await page.getByLabel("Password").fill(person.password);
        await page.getByRole("button", { name: "Sign in" }).click();
        await expect(page).toHaveURL(link);
        if (script) await alive(page);
        await page.getByRole("button", { name: "Confirm the address" }).click();
        await expect(page.getByText("Your e-mail address is confirmed.")).toBeVisible();
      });

      test("a reset lists the other ways in, and ends the ticked ones", async ({ page, office }) => {
        const { placet } = office;
        const person = await Person.join(placet);
        await office.verify(person);
        const key = await person.key("Nightly export");
        const { project } = await person.shop();
        const guest = address();
        const invite = { email: guest, projectId: project };
        expect((await person.call("POST", "/v1/auth/invitations", invite)).status).toBe(201);
        const invitation = await office.link(guest, "invites you");
        await person.call("POST", "/v1/auth/local/forgot", { email: person.email });
        const link = await office.link(person.email, "Choose a new password");

        // Without the right link nothing of the account is shown.
        await visit(page, `${link}x`);
        await expect(page.getByRole("alert")).toContainText("This link has already been used");
        await expect(page.getByText("Nightly export")).toHaveCount(0);
        await visit(page, link);
        const group = page.getByRole("group", { name: "Also end" });
        await expect(group.getByText("Nightly export")).toBeVisible();
        await expect(group.getByText(guest)).toBeVisible();
        await expect(page.getByLabel("API keys (1)")).toBeChecked();
        await expect(page.getByLabel("Open invitations (1)")).toBeChecked();
        await shot(page, `reset-${script}`);
        await page.getByLabel("Open invitations (1)").uncheck();
        await page.getByLabel("New password").fill("a better horse");
        await page.getByRole("button", { name: "Set the password" }).click();
        await expect(page).toHaveURL(`${placet.url}/sign-in?reset=1`);
        expect(await key.works()).toBe(false);
        await page.goto(invitation);
        await expect(page.getByText("Ada Lovelace invites you to work together")).toBeVisible();
      });

      test("a lost letter can be requested again", async ({ page, office, context }) => {
        const { placet } = office;
        const person = await Person.join(placet);
        await office.link(person.email, "Confirm your e-mail address");
        await person.enter(context);
        await visit(page, `${placet.url}/account`);
        await expect(page.getByText(`Please confirm that ${person.email} is yours`)).toBeVisible();
        await page.getByRole("button", { name: "Send another e-mail" }).click();
        await expect(page.getByText(`We sent an e-mail to ${person.email}.`)).toBeVisible();
        await visit(page, await office.link(person.email, "Confirm your e-mail address"));
        await page.getByRole("button", { name: "Confirm the address" }).click();
        await visit(page, `${placet.url}/account`);
        await expect(page.getByText("E-mail confirmed")).toBeVisible();

        await visit(page, `${placet.url}/verify-email?token=nonsense`);
        await expect(page.getByText("Your e-mail address is confirmed.")).toBeVisible();
      });

      test("a fifth letter in an hour is refused, and the page says so", async ({ page, office, context }) => {
        const { placet } = office;
        const person = await Person.join(placet);
        const subject = "Confirm your e-mail address";
        await office.link(person.email, subject);
        for (let letter = 2; letter <= 4; letter += 1) {
          expect((await person.call("POST", "/v1/auth/me/verification")).status).toBe(202);
          await office.link(person.email, subject);
        }
        await person.enter(context);
        await visit(page, `${placet.url}/account`);
        await page.getByRole("button", { name: "Send another e-mail" }).click();
        await expect(page.getByRole("alert")).toHaveText(/^That was too often in a short time\. Please try again in \d+ minutes\.$/);
        await expect(page.getByText("We sent an e-mail")).toHaveCount(0);
        if (script) await expectAccessible(page);
        // The message is for this one time.
        await visit(page, `${placet.url}/account`);
        await expect(page.getByRole("button", { name: "Send another e-mail" })).toBeVisible();
        await expect(page.getByRole("alert")).toHaveCount(0);
      });

      test("a new address is pending until its link is used, and can be dropped", async ({ page, office, context }) => {
        const { placet } = office;
        const person = await Person.join(placet);
        await person.enter(context);
        const [first, next] = [address(), address()];
        if (script) {
          await visit(page, `${placet.url}/account`);
          await expect(page.getByLabel("Username")).toBeDisabled();
          const profile = page.getByRole("region", { name: "Profile" });
          await expect(profile.getByLabel("Current password")).toHaveCount(0);
          await profile.getByLabel("E-mail").fill(first);
          await profile.getByLabel("Current password").fill("a guess");
          await profile.getByRole("button", { name: "Save" }).click();
          await expect(profile.getByLabel("Current password")).toHaveAccessibleDescription("This is not your current password.");
          await profile.getByLabel("Current password").fill(person.password);
          await profile.getByRole("button", { name: "Save" }).click();
        } else {
          const wish = { displayName: "Ada Lovelace", email: first, presentPassword: person.password };
          expect((await person.call("PUT", "/v1/auth/me", wish)).status).toBe(200);
          await visit(page, `${placet.url}/account`);
        }
        await expect(page.getByText(`Please confirm ${first} within 24 hours`)).toBeVisible();
        await expect(page.getByLabel("E-mail")).toHaveValue(person.email);
        const link = await office.link(first, "Confirm your new e-mail address");
        if (script) await expectAccessible(page);

        await page.getByRole("button", { name: "Send another e-mail" }).click();
        await expect(page.getByText(`We sent an e-mail to ${first}.`)).toBeVisible();
        await office.link(first, "Confirm your new e-mail address");
        if (script) await alive(page);
        await page.getByRole("button", { name: "Cancel" }).click();
        await expect(page).toHaveURL(`${placet.url}/account`);
        await expect(page.getByText("within 24 hours")).toHaveCount(0);
        await visit(page, link);
        await expect(page.getByRole("button", { name: "Confirm the address" })).toHaveCount(0);

        const wish = { displayName: "Ada Lovelace", email: next, presentPassword: person.password };
        expect((await person.call("PUT", "/v1/auth/me", wish)).status).toBe(200);
        await visit(page, await office.link(next, "Confirm your new e-mail address"));
        await expect(page.getByText(`Is ${next} your address?`)).toBeVisible();
        await page.getByRole("button", { name: "Confirm the address" }).click();
        await expect(page.getByText("Your e-mail address is confirmed.")).toBeVisible();
        await visit(page, `${placet.url}/account`);
        await expect(page.getByLabel("E-mail")).toHaveValue(next);
        await expect(page.getByText("E-mail confirmed")).toBeVisible();
      });

      test("a stranger is invited, makes an account and joins", async ({ page, office }) => {
        const { placet } = office;
        const owner = await Person.join(placet);
        await office.verify(owner);
        const shop = await owner.shop();
        const email = address();
        const invite = { email, projectId: shop.project, role: "viewer" };
        expect((await owner.call("POST", "/v1/auth/invitations", invite)).status).toBe(201);
        const link = await office.link(email, "invites you");
        await visit(page, link);
        await expect(page.getByText("Ada Lovelace invites you to work together on “Corner shop”.")).toBeVisible();
        await expect(page.getByText("Viewer")).toBeVisible();
        await page.getByRole("link", { name: "Create account" }).click();
        if (script) await alive(page);
        await expect(page.getByLabel("E-mail")).toHaveValue(email);
        await page.getByLabel("Username").fill(email.split("@")[0] ?? "");
        await page.getByLabel("Password").fill("correct horse");
        await page.getByRole("button", { name: "Create account" }).click();
        await expect(page).toHaveURL(link);
        if (script) await alive(page);
        await page.getByRole("button", { name: "Accept the invitation" }).click();
        await expect(page).toHaveURL(`${placet.url}/projects/${shop.project}`);
        await expect(page.getByRole("heading", { name: "Corner shop", level: 1 })).toBeVisible();

        await visit(page, link);
        await expect(page.getByRole("alert")).toContainText("This invitation has been used");
      });

      test("an invitation to another address asks for another account", async ({ page, office, context }) => {
        const { placet } = office;
        const owner = await Person.join(placet);
        const [invited, other] = [await Person.join(placet), await Person.join(placet)];
        await office.verify(owner);
        const shop = await owner.shop();
        const invite = { email: invited.email, projectId: shop.project };
        expect((await owner.call("POST", "/v1/auth/invitations", invite)).status).toBe(201);
        const link = await office.link(invited.email, "invites you");
        await other.enter(context);
        await visit(page, link);
        await expect(page.getByText(`You are signed in as ${other.email}`)).toBeVisible();
        await page.getByRole("button", { name: "Sign out and use another account" }).click();
        if (script) await alive(page);
        await page.getByLabel("Username or e-mail").fill(invited.username);
        await page.getByLabel("Password").fill(invited.password);
        await page.getByRole("button", { name: "Sign in" }).click();
        await expect(page).toHaveURL(link);
        if (script) await alive(page);
        await page.getByRole("button", { name: "Accept the invitation" }).click();
        await expect(page.getByRole("heading", { name: "Corner shop", level: 1 })).toBeVisible();
      });
    });
  }

  test("a server without mail says that it cannot help", async ({ page, placet }) => {
    await page.goto(`${placet.url}/forgot-password`);
    await expect(page.getByText("This server does not send e-mail")).toBeVisible();
    await expect(page.getByRole("button", { name: "Send a link" })).toHaveCount(0);
  });

  test("an account chooses its letters", async ({ page, context, office }) => {
    const person = await Person.join(office.placet);
    await person.enter(context);
    const visit = async (): Promise<void> => {
      await page.goto(`${office.placet.url}/account`);
      await alive(page);
    };
    await visit();
    const card = page.getByRole("region", { name: "Notifications" });
    const [concerns, digest] = [/needs attention/, "A digest on Mondays"].map((name) => card.getByRole("switch", { name }));
    await expect(concerns!).toBeChecked();
    await expect(digest!).not.toBeChecked();
    await expectAccessible(page);
    await concerns!.click();
    await digest!.click();
    await card.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Your choice of e-mails is saved.")).toBeVisible();
    const me = await (await person.call("GET", "/v1/auth/me")).json();
    expect(me).toMatchObject({ concernLetters: false, digestLetters: true, displayName: "Ada Lovelace" });
    await visit();
    await expect(concerns!).not.toBeChecked();
    await expect(digest!).toBeChecked();
    await shot(page, "account-letters");
  });

  test("the pages of letters speak French and keep their link", async ({ page, office }) => {
    const person = await Person.join(office.placet);
    const link = await office.link(person.email, "Confirm your e-mail address");
    await page.goto(link);
    await page.getByRole("button", { name: "Français" }).click();
    await expect(page).toHaveURL(link);
    await expect(page.getByRole("link", { name: "Se connecter pour confirmer" })).toBeVisible();
  });
});
