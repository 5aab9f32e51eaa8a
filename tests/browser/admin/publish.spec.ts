import { type Locator } from "@playwright/test";
import { expect, expectAccessible, onOne, Placet, test } from "../support/test.ts";
import { alive, hold, open, Person, publishes } from "./person.ts";

/** The place of the new value of a field, as seen from the old one. */
async function sides(change: Locator): Promise<"beside" | "below"> {
  const [before, after] = await Promise.all([change.getByRole("deletion").boundingBox(), change.getByRole("insertion").boundingBox()]);
  return (after?.x ?? 0) > (before?.x ?? 0) ? "beside" : "below";
}

onOne("postgres", () => {
  test("publishing shows its six steps and ends with the address of the file", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const base = `${placet.url}/projects/${shop.project}`;
    await open(page, `${base}/publish`);
    await expect(page.getByRole("heading", { name: "2 unpublished changes" })).toBeVisible();
    await publishes(page);
    await expect(page.locator(".progress li")).toHaveText([
      /Build the files.*Done/,
      /Check size and limits.*Done/,
      /Check the organization.*Done/,
      /Check the subscription.*Done/,
      /Upload.*Done/,
      /Refresh caches.*Done/,
    ]);
    const file = await page.getByRole("link", { name: "Open" }).getAttribute("href");
    expect((await fetch(file ?? "")).status).toBe(200);
    await expect(page.getByText("Everything here is live.")).toBeVisible();

    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { strings: { acceptAll: "Sure" } });
    await page.getByRole("link", { name: "Overview" }).click();
    await expect(page.getByText("1 unpublished change").first()).toBeVisible();
    await page.getByRole("main").getByRole("link", { name: "Publish" }).first().click();
    // Each field that becomes live is told, and a note stays with the publish.
    const change = page.getByRole("listitem").filter({ hasText: "changed" });
    await change.getByText("1 field differs").click();
    await expect(change.getByRole("term")).toHaveText("Texts › Accept all");
    await expect(change.getByRole("deletion")).toHaveText("nothing");
    await expect(change.getByRole("insertion")).toHaveText("Sure");
    await expect(change.getByText("Live now", { exact: true })).toBeVisible();
    await expect(change.getByText("Then", { exact: true })).toBeVisible();
    expect(await sides(change)).toBe("beside");
    await page.setViewportSize({ width: 320, height: 800 });
    expect(await sides(change)).toBe("below");
    await expectAccessible(page);
    await page.setViewportSize({ width: 1280, height: 720 });
    await expectAccessible(page);
    // Words of the API are told as the editor tells them.
    const settings = { displayMode: "modal", onClose: "ask_again", scheme: "dark" };
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { settings });
    await page.reload();
    await change.getByText("4 fields differ").click();
    await expect(change.getByRole("term")).toHaveText(["Position and behaviour › Format", "Position and behaviour › When a visitor closes the banner", "Position and behaviour › Light or dark", "Texts › Accept all"]);
    await expect(change.getByRole("insertion")).toHaveText(["Dialog", "Store nothing and ask again on the next page", "Always dark", "Sure"]);
    // A message is shown as visitors see it.
    const { steps } = (await person.read("cookies", shop.configuration)).data as { steps: object[] };
    const message = '<b>We</b> ask <a href="https://shop.example/why">first</a>';
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { settings: null, steps: [{ ...steps[0], message }, ...steps.slice(1)] });
    await page.reload();
    await change.getByText("2 fields differ").click();
    const shown = change.getByRole("insertion").filter({ hasText: "We ask first" });
    await expect(shown.locator("b")).toHaveText("We");
    await expect(shown.getByRole("link")).toHaveAttribute("href", "https://shop.example/why");
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { steps });
    await page.reload();
    await alive(page);
    await page.getByLabel("Note").fill("Friendlier words");
    await publishes(page);
    await expect(page.getByRole("row").filter({ hasText: "Live" })).toContainText("Note: Friendlier words");
    const bundle = `${placet.url}/cdn/${shop.project}/en.js`;
    expect(await (await fetch(bundle)).text()).toContain("Sure");

    // Back to the earlier version.
    const earlier = page.getByRole("row").filter({ hasText: "Ada Lovelace" }).last();
    await earlier.getByRole("button", { name: "Roll back" }).click();
    const dialog = page.getByRole("dialog", { name: "Roll back" });
    await dialog.getByText("1 field differs").click();
    await expect(dialog.getByRole("deletion")).toHaveText("Sure");
    await expect(dialog.getByRole("insertion")).toHaveText("nothing");
    await expectAccessible(page);
    // It is looked at before it comes back.
    await dialog.getByRole("button", { name: "See “English”" }).click();
    const seen = page.getByRole("dialog", { name: "As visitors would see it" });
    await expect(seen.locator("iframe:not(.waiting)").contentFrame().getByRole("button", { name: "Accept all" })).toBeVisible();
    await seen.getByRole("button", { name: "Close" }).first().click();
    await expect(seen).toBeHidden();
    await dialog.getByLabel("Note").fill("The words were too friendly");
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await expect.poll(async () => await (await fetch(bundle)).text()).not.toContain("Sure");
    await expect(page.getByRole("row").filter({ hasText: "Live" })).toContainText("Note: The words were too friendly");

    // The draft is the later version, so it is what waits, by its content and not by its time.
    await open(page, `${base}/publish`);
    await expect(page.getByRole("heading", { name: "1 unpublished change" })).toBeVisible();
    await expect(page.getByRole("listitem").filter({ hasText: "changed" })).toHaveCount(1);
    await open(page, `${base}/widget`);
    await expect(page.getByText("Changed since published")).toBeVisible();
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { strings: null });
    await open(page, `${base}/publish`);
    await expect(page.getByText("Everything here is live.")).toBeVisible();
  });

  test("warnings of the editor are repeated, and who publishes anyway says why", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { settings: { reopenButton: false } });
    await open(page, `${placet.url}/projects/${shop.project}/publish`);
    const warnings = page.getByRole("list", { name: "Warnings" }).getByRole("listitem");
    await expect(warnings).toContainText("English");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Publish changes" }).click();
    const dialog = page.getByRole("dialog", { name: "Publish anyway" });
    await expect(dialog.getByRole("listitem")).toHaveText(/^English: /);
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Publish anyway" }).click();
    await expect(dialog.getByLabel("Reason")).toHaveAccessibleDescription(/This field is required\./);
    await expect(dialog.getByLabel("Reason")).toBeFocused();
    // A time that is past is told at its field, which is behind the dialog.
    await dialog.getByRole("button", { name: "Cancel" }).click();
    const at = page.getByLabel("Goes live");
    await at.fill("2020-01-01T00:00");
    await page.getByRole("button", { name: "Schedule" }).click();
    await dialog.getByLabel("Reason").fill("Too late.");
    await dialog.getByRole("button", { name: "Publish anyway" }).click();
    await expect(dialog).toBeHidden();
    await expect(at).toHaveAccessibleDescription(/outside of the allowed range/);
    await at.fill("");
    await page.getByRole("button", { name: "Publish changes" }).click();
    await dialog.getByLabel("Reason").fill("Our footer opens the widget.");
    await dialog.getByRole("button", { name: "Publish anyway" }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText("Published. Pages with the snippet now show it.")).toBeVisible();
    const row = page.getByRole("row", { name: /Live/ });
    await expect(row).toContainText("1 warning");
    await expect(row).toContainText("Published anyway: Our footer opens the widget.");
    // The link leads to the setting, and without warnings nobody is asked.
    await warnings.getByRole("link", { name: "English" }).click();
    await page.getByRole("switch", { name: "Button to change the choice" }).check();
    await expect(page.locator(".save-state").filter({ hasText: /^Saved$/ })).toBeVisible();
    await open(page, `${placet.url}/projects/${shop.project}/publish`);
    await expect(warnings).toHaveCount(0);
    await publishes(page);
  });

  test("the dialog stays until a slow publish has its answer, and the page tells the end", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { settings: { reopenButton: false } });
    await open(page, `${placet.url}/projects/${shop.project}/publish`);
    await page.getByRole("button", { name: "Publish changes" }).click();
    const dialog = page.getByRole("dialog", { name: "Publish anyway" });
    await dialog.getByLabel("Reason").fill("Our footer opens the widget.");
    const go = await hold(page, "**/ui/publish/as-shown");
    await dialog.getByRole("button", { name: "Publish anyway" }).click();
    for (const name of ["Cancel", "Close"]) await expect(dialog.getByRole("button", { name })).toBeDisabled();
    await expectAccessible(page);
    // Browsers let a page keep the first Escape from a dialog, and no second one.
    for (let times = 0; times < 3; times += 1) await page.keyboard.press("Escape");
    await expect(dialog.getByLabel("Reason")).toHaveValue("Our footer opens the widget.");
    go();
    await expect(page.getByText("Published. Pages with the snippet now show it.")).toBeVisible();
    await expect(dialog).toBeHidden();
  });

  test("a note is no reason for warnings that came up since", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const jobs = async () => (await (await person.call("GET", `/v1/publish/jobs/${shop.project}`)).json()) as { reason?: string }[];
    const set = (settings: object) => person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { settings });
    await open(page, `${placet.url}/projects/${shop.project}/publish`);
    const warnings = page.getByRole("list", { name: "Warnings" }).getByRole("listitem");
    await expect(warnings).toHaveCount(0);
    await page.getByLabel("Note").fill("The summer look");
    await set({ reopenButton: false });
    await page.getByRole("button", { name: "Publish changes" }).click();
    // The page shows what it did not know, and asks.
    const told = page.getByRole("alert").filter({ hasText: "Someone else changed this in the meantime." });
    await expect(told).toBeVisible();
    await expect(warnings).toHaveCount(1);
    await page.getByRole("button", { name: "Publish changes" }).click();
    const dialog = page.getByRole("dialog", { name: "Publish anyway" });
    await dialog.getByLabel("Reason").fill("Our footer opens the widget.");
    // The reason for one warning is none for another.
    await set({ onClose: "ask_again" });
    await dialog.getByRole("button", { name: "Publish anyway" }).click();
    await expect(dialog).toBeHidden();
    await expect(warnings).toHaveCount(2);
    await expect(told).toBeVisible();
    expect(await jobs()).toEqual([]);
    await page.getByRole("button", { name: "Publish changes" }).click();
    await dialog.getByLabel("Reason").fill("Both are agreed.");
    await dialog.getByRole("button", { name: "Publish anyway" }).click();
    await expect(page.getByText("Published. Pages with the snippet now show it.")).toBeVisible();
    await expect(told).toHaveCount(0);
    expect((await jobs()).map(({ reason }) => reason)).toEqual(["Both are agreed."]);
  });

  test("a question that fails is asked again until the publish has ended", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await open(page, `${placet.url}/projects/${shop.project}/publish`);
    let failed = 0;
    await page.route("**/ui/publish/job", (route) => (failed++ < 2 ? route.abort() : route.continue()));
    await publishes(page);
    expect(failed).toBeGreaterThan(2);
    await expect(page.getByText("Everything here is live.")).toBeVisible();
  });

  test("a failed publish gives the reason and says that visitors see no change", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { steps: [{ name: "a", layout: "iab" }] });
    await open(page, `${placet.url}/projects/${shop.project}/publish`);
    await page.getByRole("button", { name: "Publish changes" }).click();
    await expect(page.getByText("Publishing failed")).toBeVisible();
    await expect(page.getByText("Nothing changes for visitors.")).toBeVisible();
    await expect(page.getByRole("row", { name: /Failed/ })).toBeVisible();
  });

  test("the lines to paste load what was published", async ({ page, placet, context, site }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    await open(page, `${placet.url}/projects/${shop.project}/install`);
    const lines = page.getByRole("region", { name: "Snippet" });
    for (const way of ["One file", "Pinned file", "Loader"]) {
      await page.getByRole("button", { name: way }).click();
      const snippet = (await lines.textContent()) ?? "";
      expect(snippet).toContain(shop.project);
      const visitor = await context.browser()?.newPage();
      if (!visitor) throw new Error("no browser");
      const asked: string[] = [];
      await visitor.route("**/cdn/**/*.{json,payload}", (route) => (asked.push(route.request().url().replace(/^.*\//, "")), route.continue()));
      const address = site.put("/", `<!doctype html><html lang="en"><head>${snippet}</head><body>Shop</body></html>`);
      await visitor.goto(address);
      await expect(visitor.getByRole("dialog", { name: "Your privacy" }), way).toBeVisible();
      // The SDK takes what the snippet has the browser load early, and does not load it again.
      if (way === "Loader") expect(asked.slice(0, 2)).toEqual(["index.json", "en.payload"]);
      await visitor.close();
    }
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(await lines.textContent());
  });
});

test("the check finds the snippet on the site, or does not", async ({ page, context, site }) => {
  const placet = await Placet.start("sqlite", ["--outbound-allow", "127.0.0.1"]);
  try {
    const person = await Person.join(placet);
    await person.enter(context);
    const address = site.put("/", "<!doctype html><title>Shop</title>");
    const shop = await person.shop(address);
    await open(page, `${placet.url}/projects/${shop.project}/install`);
    await page.getByRole("button", { name: "Check site" }).click();
    await expect(page.getByText("Not found", { exact: true })).toBeVisible();
    site.put("/", `<!doctype html><script async src="${placet.url}/cdn/${shop.project}/en.js"></script>`);
    await page.getByRole("button", { name: "Check site" }).click();
    await expect(page.getByText("Found: the snippet is on your site.")).toBeVisible();
  } finally {
    await placet.stop();
  }
});
