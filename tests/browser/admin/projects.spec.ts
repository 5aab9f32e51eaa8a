import { createHmac } from "node:crypto";
import { expect, expectAccessible, onOne, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

onOne("sqlite", () => {
  test("the empty list leads to a first project", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    await open(page, placet.url);
    await page.getByRole("main").getByRole("link", { name: "New project" }).first().click();
    await page.getByRole("button", { name: "Create project" }).click();
    await expect(page.getByLabel("Title")).toHaveAccessibleDescription(/This field is required\./);
    await expect(page.getByLabel("Title")).toBeFocused();
    await page.getByLabel("Title").fill("Corner shop");
    await page.getByLabel("Site address").fill("shop.example");
    await page.getByRole("button", { name: "Create project" }).click();
    await expect(page.getByRole("heading", { name: "Corner shop", level: 1 })).toBeVisible();
    await expect(page.getByRole("heading", { name: "Steps to your first proof" })).toBeVisible();
    // The rail shows it at once.
    await expect(page.locator("summary", { hasText: "Corner shop" })).toBeVisible();
    const [project] = (await (await person.call("GET", "/v1/vault/projects")).json()) as { data: unknown }[];
    expect(project?.data).toEqual({ title: "Corner shop", websiteURL: "https://shop.example" });
  });

  test("settings are validated as the API does, and saved without losing what they do not know", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const project = await person.make("projects", { title: "Shop", websiteURL: "https://a.example", own: { kept: [1] } });
    await open(page, `${placet.url}/projects/${project.id}/settings`);
    await page.getByLabel("Site address").fill("ftp://a.example");
    await page.getByLabel("Allowed sites").fill("https://a.example/");
    await page.getByLabel("Keep proofs for").fill("soon");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByLabel("Site address")).toHaveAccessibleDescription(/starts with https/);
    await expect(page.getByLabel("Allowed sites")).toHaveAccessibleDescription(/Enter a host such as/);
    await expect(page.getByLabel("Keep proofs for")).toHaveAccessibleDescription(/is not valid/);
    await expect(page.getByLabel("Keep proofs for")).toHaveValue("soon");
    await expect(page.getByLabel("Site address")).toBeFocused();

    await page.getByLabel("Site address").fill("https://b.example");
    await page.getByLabel("Privacy policy").fill("https://b.example/privacy");
    await page.getByLabel("Allowed sites").fill("b.example\nwww.b.example\n");
    await page.getByLabel("Keep proofs for").fill("13");
    await page.getByLabel("IP addresses").selectOption("Keyed hash");
    await page.getByLabel("Language of consent forms").selectOption("Français");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.locator(".toast", { hasText: "Saved" })).toBeVisible();
    expect((await person.read("projects", project.id)).data).toEqual({
      title: "Shop",
      websiteURL: "https://b.example",
      language: "fr",
      own: { kept: [1] },
      privacyPolicyUrl: "https://b.example/privacy",
      domains: ["b.example", "www.b.example"],
      retention: { consentMonths: 13, ipMode: "hash" },
    });
  });

  test("tokens must be signed with a secret that is shown once", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    const settings = `${placet.url}/projects/${shop.project}/settings`;
    await open(page, settings);
    const tokens = page.getByRole("region", { name: "Tokens of your visitors" });
    await expect(tokens).toContainText("Any token is accepted");
    await tokens.getByRole("button", { name: "Create a secret" }).click();
    const field = tokens.getByLabel("Signing secret for tokens", { exact: true });
    await expect(field).toHaveValue(/^[0-9a-f]{64}$/);
    await expect(tokens.getByText("are refused")).toBeVisible();
    await tokens.getByRole("button", { name: "Leave unchanged" }).click();
    await expect(field).toHaveCount(0);
    await tokens.getByRole("button", { name: "Create a secret" }).click();
    await field.fill("too short");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(field).toHaveAccessibleDescription(/16 to 255 characters/);
    await field.fill("a secret of the shop");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(tokens).toContainText("Signed tokens only");
    await expect(field).toHaveCount(0);
    await expect(page.locator(".save-state")).toHaveText("Saved");

    const signature = createHmac("sha256", "a secret of the shop").update("customer-42").digest("hex");
    const consent = await person.consent(shop, `customer-42.${signature}`, { our_chat: true });
    await expect(person.consent(shop, "customer-42", { our_chat: true })).rejects.toThrow("unsigned_token");
    await open(page, `${placet.url}/projects/${shop.project}/proofs/${consent}`);
    await expect(page.locator(".facts")).toContainText("Signed by the site");

    await open(page, settings);
    await expect(tokens).toContainText("Signed tokens only");
    await tokens.getByRole("button", { name: "Accept any token again" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(tokens).toContainText("Any token is accepted");
    await person.consent(shop, "customer-42", { our_chat: true });
  });

  test("leaving with unsaved changes asks first", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const project = await person.make("projects", { title: "Shop", websiteURL: "https://a.example" });
    const settings = `${placet.url}/projects/${project.id}/settings`;
    await open(page, settings);
    await page.getByLabel("Title").fill("Another title");
    await page.getByRole("link", { name: "Overview" }).click();
    const dialog = page.getByRole("dialog", { name: "Leave this page?" });
    await expect(dialog).toBeVisible();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(page).toHaveURL(settings);
    await expect(page.getByLabel("Title")).toHaveValue("Another title");

    // "Go to" and its keys ask as links do.
    await page.keyboard.press("Control+k");
    const goTo = page.getByRole("dialog", { name: "Go to" });
    await expect(goTo.getByRole("combobox")).toBeFocused();
    await page.keyboard.type("publ");
    await expect(goTo.getByRole("option").first()).toContainText("Publish");
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "Settings", level: 1 }).click();
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await expect(page).toHaveURL(settings);
    await expect(page.getByLabel("Title")).toHaveValue("Another title");

    page.once("dialog", (dialog) => void dialog.dismiss());
    await page.close({ runBeforeUnload: true });
    expect(page.isClosed()).toBe(false);

    await page.getByRole("link", { name: "Overview" }).click();
    await dialog.getByRole("button", { name: "Leave without saving" }).click();
    await expect(page.getByRole("heading", { name: "Shop", level: 1 })).toBeVisible();
  });

  test("saving after the end of the session keeps what was typed and leads to sign in in another tab", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const project = await person.make("projects", { title: "Shop", websiteURL: "https://a.example" });
    const settings = `${placet.url}/projects/${project.id}/settings`;
    await open(page, settings);
    const title = page.getByLabel("Title");
    await title.fill("Typed for an hour");
    await context.clearCookies();
    await page.getByRole("button", { name: "Save" }).click();
    const status = page.locator(".save-state");
    await expect(status).toContainText("Your session has ended.");
    await expectAccessible(page);
    const [tab] = await Promise.all([context.waitForEvent("page"), status.getByRole("link", { name: "Sign in" }).click()]);
    await expect(tab).toHaveURL(`${placet.url}/sign-in`);
    await tab.close();
    await person.enter(context);
    await expect(page).toHaveURL(settings);
    await expect(title).toHaveValue("Typed for an hour");
    await page.getByRole("button", { name: "Save" }).click();
    await expect(status).toHaveText("Saved");
    expect((await person.read("projects", project.id)).data.title).toBe("Typed for an hour");
  });

  test("two people who edit one document see both versions and choose", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const project = await person.make("projects", { title: "Shop", websiteURL: "https://a.example" });
    await open(page, `${placet.url}/projects/${project.id}/settings`);
    const theirs = async (title: string): Promise<void> => {
      await person.call("PUT", `/v1/vault/projects/${project.id}`, { title, websiteURL: "https://a.example" });
    };

    await theirs("Their title");
    await page.getByLabel("Title").fill("My title");
    await page.getByRole("button", { name: "Save" }).click();
    const dialog = page.getByRole("dialog", { name: "This document has two versions" });
    await expect(dialog.getByRole("row", { name: /^Title / })).toContainText("My title");
    await expect(dialog.getByRole("row", { name: /^Title / })).toContainText("Their title");
    expect((await person.read("projects", project.id)).data.title).toBe("Their title");
    await dialog.getByRole("button", { name: "Keep mine" }).click();
    await expect(page.locator(".toast", { hasText: "Saved" })).toBeVisible();
    expect((await person.read("projects", project.id)).data.title).toBe("My title");

    await theirs("Theirs again");
    await page.getByLabel("Title").fill("Mine again");
    await page.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("button", { name: "Use theirs" }).click();
    await expect(page.getByLabel("Title")).toHaveValue("Theirs again");
    expect((await person.read("projects", project.id)).data.title).toBe("Theirs again");
  });

  test("the table of two versions shows where they differ, and how much it leaves out", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const names = ["main", "secondary", "text", "title", "background", "border", "buttonText", "danger"];
    const colors = (color: string) => Object.fromEntries(names.map((name) => [name, color]));
    const COLORS: Record<string, string> = { before: "#112233", since: "#445566" };
    const version = (end: string, look: string) => ({
      title: "Shop",
      websiteURL: "https://a.example",
      privacyPolicyUrl: `https://a.example/${"x".repeat(200)}/${end}`,
      colors: colors(COLORS[look] ?? ""),
      darkColors: colors(COLORS[look] ?? ""),
      fonts: { title: look, text: look },
      dpo: { name: look, phone: look, address: look },
      dataProcessor: { name: look, phone: look, address: look },
    });
    const project = await person.make("projects", version("mine", "before"));
    await open(page, `${placet.url}/projects/${project.id}/settings`);
    const dialog = page.getByRole("dialog", { name: "This document has two versions" });
    const theirs = async (end: string, look: string): Promise<void> => {
      const answer = await person.call("PUT", `/v1/vault/projects/${project.id}`, version(end, look));
      expect(answer.ok).toBe(true);
      await page.getByLabel("Title").fill(`Mine beside ${look}`);
      await page.getByRole("button", { name: "Save" }).click();
      await expect(dialog).toBeVisible();
    };

    await theirs("theirs", "before");
    const row = dialog.getByRole("row").filter({ hasText: "x/mine" });
    await expect(row).toContainText("x/theirs");
    await expect(dialog.getByText(/^and \d+ more$/)).toHaveCount(0);
    await dialog.getByRole("button", { name: "Keep mine" }).click();
    await expect(page.locator(".toast", { hasText: "Saved" })).toBeVisible();

    // The title, 16 colours, two fonts and six facts about people differ.
    await theirs("mine", "since");
    await expect(dialog.getByRole("row")).toHaveCount(21);
    await expect(dialog.getByText("and 5 more", { exact: true })).toBeVisible();
  });

  test("a deleted project can be brought back", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const project = await person.make("projects", { title: "Shop", websiteURL: "https://a.example" });
    await open(page, `${placet.url}/projects/${project.id}/settings`);
    await page.getByRole("button", { name: "Delete project" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete project" });
    await expect(dialog).toContainText("the banner disappears from your site");
    // The title as it is by then confirms.
    const title = dialog.getByLabel("To confirm, type “Shop”");
    const confirm = dialog.getByRole("button", { name: "Delete project" });
    await title.fill("shop");
    await expect(confirm).toBeDisabled();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await page.getByLabel("Title").fill("Closed shop");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Delete project" }).click();
    await dialog.getByLabel("To confirm, type “Closed shop”").fill("Closed shop");
    await confirm.click();
    await expect(page.getByRole("heading", { name: "Start with your site" })).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(async () => (await person.call("GET", `/v1/vault/projects/${project.id}`)).status).toBe(200);
  });

  test("the title of a page names the page and its project", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const base = `${placet.url}/projects/${shop.project}`;
    const titles = [
      [placet.url, "Projects · Placet"],
      [base, "Overview · Corner shop · Placet"],
      [`${base}/widget`, "Banner · Corner shop · Placet"],
      [`${base}/widget/${shop.configuration}`, "English · Corner shop · Placet"],
      [`${placet.url}/account`, "Account · Placet"],
    ] as const;
    for (const [url, title] of titles) {
      expect((await (await page.request.get(url, { headers: { accept: "text/html" } })).text()).includes(`<title>${title}</title>`), title).toBe(true);
      await open(page, url);
      await expect(page).toHaveTitle(title);
    }
    await open(page, base);
    await page.getByRole("link", { name: "Proofs", exact: true }).click();
    await expect(page).toHaveTitle("Proofs · Corner shop · Placet");

    // A title is at the same height, whatever stands above it.
    const top = async (url: string): Promise<number> => {
      await open(page, url);
      return (await page.getByRole("heading", { level: 1 }).boundingBox())?.y ?? 0;
    };
    expect(await top(`${base}/widget/${shop.configuration}`)).toBe(await top(`${base}/widget`));
  });

  test("a project that is not shared does not exist", async ({ page, placet, context }) => {
    const owner = await Person.join(placet);
    const shop = await owner.shop();
    const stranger = await Person.join(placet);
    await stranger.enter(context);
    for (const path of ["", "/widget", `/widget/${shop.configuration}`, "/publish", "/install", "/proofs", "/settings"]) {
      const answer = await page.goto(`${placet.url}/projects/${shop.project}${path}`);
      expect(answer?.status(), path).toBe(404);
      await expect(page.getByRole("heading", { name: "Not found" })).toBeVisible();
    }
    expect((await page.goto(`${placet.url}/nowhere`))?.status()).toBe(404);
  });

  test("a viewer reads and cannot change", async ({ page, placet, context }) => {
    const owner = await Person.join(placet);
    const shop = await owner.shop();
    const viewer = await Person.join(placet);
    const { id } = (await (await viewer.call("GET", "/v1/auth/me")).json()) as { id: string };
    await owner.call("POST", `/v1/vault/projects/${shop.project}/users`, { userId: id, role: "viewer" });
    await viewer.enter(context);
    await open(page, `${placet.url}/projects/${shop.project}/settings`);
    await expect(page.getByLabel("Title")).toBeDisabled();
    await expect(page.getByRole("button", { name: "Save" })).toHaveCount(0);
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=step-2`);
    await expect(page.getByLabel("Message")).toBeDisabled();
    await expect(page.getByRole("button", { name: "Add services" })).toHaveCount(0);
    await expect(page.getByRole("main").getByRole("link", { name: "Publish" })).toHaveCount(0);
    for (const [path, heading, button] of [
      ["/publish", "Publish", "Publish changes"],
      ["/widget", "Banner", "New configuration"],
      ["/vendors", "Services", "New custom service"],
      ["/settings", "Settings", "Delete project"],
    ] as const) {
      await open(page, `${placet.url}/projects/${shop.project}${path}`);
      await expect(page.getByRole("heading", { name: heading, level: 1 })).toBeVisible();
      await expect(page.getByRole("button", { name: button })).toHaveCount(0);
    }
    await open(page, `${placet.url}/projects/${shop.project}`);
    await expect(page.getByRole("main").getByRole("link", { name: "Publish" })).toHaveCount(0);

    // Only owners delete.
    await owner.call("POST", `/v1/vault/projects/${shop.project}/users`, { userId: id, role: "editor" });
    await open(page, `${placet.url}/projects/${shop.project}/settings`);
    await expect(page.getByRole("button", { name: "Save" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Delete project" })).toHaveCount(0);
  });
});
