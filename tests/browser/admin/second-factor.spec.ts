import { createHmac } from "node:crypto";
import { all } from "../support/all.ts";
import { engines, Placet } from "../support/placet.ts";
import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { alive, open, Person } from "./person.ts";

/** The code of an authenticator app (RFC 6238), from the secret that one types into it, so many steps of 30 seconds from now. */
const codeOf = (secret: string, steps = 0): string => {
  const bits = [...secret].map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const mac = createHmac("sha1", key).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
};

/** Turns the second factor of a person on, by the API, and gives its secret. */
const turnOn = async (person: Person): Promise<string> => {
  const call = async (path: string, body: object): Promise<Record<string, string>> => {
    const answer = await person.call("POST", `/v1/auth/me/second-factor${path}`, body);
    expect(answer.ok).toBe(true);
    return (await answer.json()) as Record<string, string>;
  };
  const { secret = "" } = await call("", { presentPassword: person.password });
  await call("/confirm", { code: codeOf(secret) });
  return secret;
};

onOne("postgres", () => {
  test("a second factor is turned on with an app, asked for when signing in, and turned off", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    const key = await person.key("Nightly export");
    await person.enter(context);
    await open(page, `${placet.url}/account`);
    const card = page.getByRole("region", { name: "Second factor" });
    await card.getByRole("button", { name: "Turn on" }).click();
    await card.getByLabel("Current password").fill("wrong");
    await card.getByRole("button", { name: "Show the QR code" }).click();
    await expect(card.getByLabel("Current password")).toHaveAccessibleDescription("This is not your current password.");
    await card.getByLabel("Current password").fill(person.password);
    await card.getByRole("button", { name: "Show the QR code" }).click();
    await expect(card.getByRole("img", { name: "QR code of the secret" })).toBeVisible();
    await expectAccessible(page);
    const secret = (await card.locator(".copyable code").textContent()) ?? "";

    const others = card.getByRole("group", { name: "Also end" });
    await expect(others.getByRole("checkbox", { name: "API keys (1)" })).toBeChecked();
    await expect(others).toContainText("Nightly export");
    await others.getByRole("checkbox").uncheck();
    const code = card.getByLabel("Code of your authenticator app");
    await code.fill("12345");
    await card.getByRole("button", { name: "Turn on" }).last().click();
    await expect(code).toHaveAccessibleDescription(/This code is wrong, or was used before\./);
    await code.fill(codeOf(secret));
    await card.getByRole("button", { name: "Turn on" }).last().click();
    const codes = card.getByRole("region", { name: "Recovery codes" });
    await expect(codes).toHaveText(/^([a-z2-7]{4}(-[a-z2-7]{4}){3}\n){9}[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    await expectAccessible(page);
    const [recovery = ""] = ((await codes.textContent()) ?? "").split("\n");
    await card.getByRole("button", { name: "I have kept them" }).click();
    await expect(card).toContainText("10 recovery codes left");
    expect(await key.works()).toBe(true);
    // Another factor ends nothing more.
    await card.getByRole("button", { name: "Add a passkey" }).click();
    await expect(card.getByLabel("Name of the passkey")).toBeVisible();
    await expect(others).toHaveCount(0);

    await context.clearCookies();
    await open(page, `${placet.url}/sign-in?next=/account`);
    await page.getByLabel("Username or e-mail").fill(person.username);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await expect(page.getByLabel("Code of your authenticator app")).toHaveCount(0);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert")).toHaveText("Your password is right. Enter a code of your authenticator app as well.");
    await expectAccessible(page);
    await page.getByLabel("Code of your authenticator app").fill("000000");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert")).toHaveText("This code is wrong, or was used before.");
    // Each code is good once, so this is the next one.
    await page.getByLabel("Code of your authenticator app").fill(codeOf(secret, 1));
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(`${placet.url}/account`);

    await alive(page);
    await card.getByRole("button", { name: "Turn off" }).click();
    await code.fill(recovery);
    await card.getByRole("button", { name: "Turn off" }).last().click();
    await expect(page.getByText("The authenticator app is turned off")).toBeVisible();
    await expect(card.getByRole("button", { name: "Turn on" })).toBeVisible();
  });
});

for (const engine of all ? engines : (["postgres"] as const))
  test(`a passkey is added, asked for when signing in, and removed: ${engine}`, async ({ page, context }) => {
    const placet = await Placet.named(engine);
    try {
      const person = await Person.join(placet);
      const key = await person.key("Nightly export");
      await person.enter(context);
      const device = await context.newCDPSession(page);
      await device.send("WebAuthn.enable");
      const { authenticatorId } = await device.send("WebAuthn.addVirtualAuthenticator", {
        options: { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
      });
      await open(page, `${placet.url}/account`);
      const card = page.getByRole("region", { name: "Second factor" });
      await card.getByRole("button", { name: "Add a passkey" }).click();
      await card.getByLabel("Name of the passkey").fill("My phone");
      await card.getByLabel("Current password").fill("wrong");
      await card.getByRole("button", { name: "Add a passkey" }).last().click();
      await expect(card.getByLabel("Current password")).toHaveAccessibleDescription("This is not your current password.");
      await card.getByLabel("Current password").fill(person.password);
      await expect(card.getByRole("checkbox", { name: "API keys (1)" })).toBeChecked();
      await card.getByRole("button", { name: "Add a passkey" }).last().click();
      const [recovery = ""] = ((await card.getByRole("region", { name: "Recovery codes" }).textContent()) ?? "").split("\n");
      await expectAccessible(page);
      await card.getByRole("button", { name: "I have kept them" }).click();
      await expect(card).toContainText("10 recovery codes left");
      await expect(card.getByRole("listitem")).toContainText("My phone added on");
      expect(await key.works()).toBe(false);

      const enter = async (): Promise<void> => {
        await context.clearCookies();
        await open(page, `${placet.url}/sign-in?next=/account`);
        await page.getByLabel("Username or e-mail").fill(person.username);
        await page.getByLabel("Password", { exact: true }).fill(person.password);
        await page.getByRole("button", { name: "Sign in" }).click();
        await expect(page.getByRole("alert")).toHaveText(/^Your password is right. Use a passkey/);
      };
      await enter();
      await expectAccessible(page);
      // A passkey of nobody here.
      await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await expect(page.getByText("Your browser gave no passkey.")).toBeVisible();
      await device.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
      await page.getByRole("button", { name: "Use a passkey" }).click();
      await expect(page).toHaveURL(`${placet.url}/account`);
      await expect(card.getByRole("listitem")).toContainText("My phone last used on");

      await enter();
      await page.getByLabel("Code of your authenticator app").fill(recovery);
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page).toHaveURL(`${placet.url}/account`);
      await alive(page);
      await card.getByRole("button", { name: "Remove My phone" }).click();
      await card.getByLabel("Current password").fill(person.password);
      await card.getByRole("button", { name: "Remove", exact: true }).click();
      await expect(card.getByText("None yet.")).toBeVisible();
      await expect(card).not.toContainText("recovery codes left");
      expect((await person.call("POST", "/v1/auth/local/signin", { username: person.username, password: person.password })).ok).toBe(true);
    } finally {
      await placet.stop();
    }
  });

test("an organization requires a second factor, and its members are told", async ({ page, placet, context }) => {
  const [owner, member] = [await Person.join(placet), await Person.join(placet)];
  const { id } = (await (await owner.call("POST", "/v1/organizations", { name: "Shop Ltd" })).json()) as { id: string };
  const me = (await (await member.call("GET", "/v1/auth/me")).json()) as { id: string };
  expect((await owner.call("POST", `/v1/organizations/${id}/users`, { userId: me.id, role: "editor" })).ok).toBe(true);
  await owner.enter(context);
  await open(page, `${placet.url}/organizations/${id}`);
  const required = page.getByRole("switch", { name: "Members need a second factor" });
  const save = page.getByRole("button", { name: "Save" });
  await required.check();
  await save.click();
  await expect(page.getByText("Your organization requires a second factor. Turn yours on first.")).toBeVisible();
  await turnOn(owner);
  await save.click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  await page.reload();
  await expect(required).toBeChecked();

  await context.clearCookies();
  await member.enter(context);
  await open(page, placet.url);
  await expect(page.getByText("Shop Ltd: projects appear here when you have turned on a second factor.")).toBeVisible();
  await expectAccessible(page);
  await page.getByRole("link", { name: "Turn on" }).click();
  await expect(page.getByRole("region", { name: "Second factor" })).toBeVisible();
  await open(page, `${placet.url}/organizations`);
  await expect(page.getByText("Second factor needed")).toBeVisible();
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("signing in takes the code beside the password", async ({ page, placet }) => {
    const person = await Person.join(placet);
    const secret = await turnOn(person);
    await page.goto(`${placet.url}/sign-in?next=/account`);
    await page.getByLabel("Username or e-mail").fill(person.username);
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page.getByRole("alert")).toHaveText("Your password is right. Enter a code of your authenticator app as well.");
    await page.getByLabel("Password", { exact: true }).fill(person.password);
    await page.getByLabel("Code of your authenticator app").fill(codeOf(secret, 1));
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect(page).toHaveURL(`${placet.url}/account`);
  });
});
