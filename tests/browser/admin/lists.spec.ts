import { expect, onBoth, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

onBoth(() => {
  test("long lists of configurations, own services and publishes have pages", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const base = `${placet.url}/projects/${shop.project}`;
    // The live publish may be on any page, because failed attempts come after it.
    await person.publish(shop.project);
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { steps: [{ name: "a", layout: "iab" }] });
    const jobs = `/v1/publish/jobs/${shop.project}`;
    // A few publishes of a project may wait at the same time.
    const starts = async () => (await person.call("POST", jobs)).status;
    for (let number = 0; number < 20; number += 1) await expect.poll(starts).toBe(202);
    const failed = async () => {
      const listed = await person.call("GET", `${jobs}?perPage=100`);
      return ((await listed.json()) as { status: string }[]).filter((job) => job.status === "error").length;
    };
    await expect.poll(failed).toBe(20);
    await open(page, `${base}/publish`);
    await expect(page.getByText("1–20 of 21")).toBeVisible();
    const live = page.getByRole("row").filter({ hasText: "Live" });
    await expect(live).toHaveCount(0);
    await page.getByRole("link", { name: "Next page" }).click();
    await expect(page.getByText("21–21 of 21")).toBeVisible();
    await expect(live).toHaveCount(1);
    await page.getByRole("link", { name: "When" }).click();
    await expect(page).toHaveURL(`${base}/publish?sort=oldest`);
    await expect(page.getByText("1–20 of 21")).toBeVisible();
    await expect(page.getByRole("row").nth(1)).toContainText("Live");
    const found = async (label: string, text: string) => {
      await page.getByRole("searchbox", { name: label }).fill(text);
      await page.keyboard.press("Enter");
    };
    await found("Search notes, messages and people", "nobody wrote this");
    await expect(page.getByRole("heading", { name: "No results" })).toBeVisible();
    // Clearing keeps the order.
    await page.getByRole("main").getByRole("link", { name: "Clear filter" }).last().click();
    await expect(page).toHaveURL(`${base}/publish?sort=oldest`);
    await expect(page.getByText("1–20 of 21")).toBeVisible();
    await expect(page.getByRole("searchbox", { name: "Search notes, messages and people" })).toHaveValue("");

    for (let number = 0; number < 26; number += 1) {
      const projectId = shop.project;
      // Services are listed by title.
      const title = `Item ${String(number).padStart(2, "0")}`;
      const steps = [{ name: "welcome", layout: "welcome", title, message: "You decide." }];
      await person.make("cookies", { projectId, name: `c-${number}`, title, language: "en", steps });
      await person.make("vendors", { projectId, name: `v-${number}`, title });
    }
    for (const [path, total] of [["widget", 27], ["vendors", 27]] as const) {
      await open(page, `${base}/${path}`);
      await expect(page.getByText(`1–25 of ${total}`)).toBeVisible();
      await page.getByRole("link", { name: "Next page" }).click();
      await expect(page.getByText(`26–27 of ${total}`)).toBeVisible();
      await expect(page.getByText("Item 25")).toBeVisible();
      await expect(page).toHaveURL(`${base}/${path}?page=2`);
      await page.goBack();
      await expect(page.getByText(`1–25 of ${total}`)).toBeVisible();
      // Past the end there is a way back.
      await open(page, `${base}/${path}?page=99`);
      await page.getByRole("link", { name: "This page is empty. Show the last page" }).click();
      await expect(page.getByText(`26–27 of ${total}`)).toBeVisible();
    }
    await open(page, `${base}/widget`);
    await found("Search configurations", "Item 07");
    await expect(page.getByRole("row").filter({ hasText: "Item" })).toHaveText([/Item 07/]);
    await page.getByRole("searchbox", { name: "Search configurations" }).fill("");
    await page.getByLabel("Order", { exact: true }).selectOption("Last changed first");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(page.getByRole("row").nth(1)).toContainText("Item 25");

    // The trash, the audit log, and lists that are shorter here, by their addresses.
    const services = await person.call("GET", `/v1/vault/vendors?projectId=${shop.project}&perPage=100&sort=title`);
    for (const { id, data } of (await services.json()) as { id: string; data: { title: string } }[])
      if (data.title.startsWith("Item")) await person.call("DELETE", `/v1/vault/vendors/${id}`);
    await open(page, `${base}/trash`);
    await expect(page.getByText("1–25 of 26")).toBeVisible();
    const items = page.getByRole("main").getByRole("listitem");
    await expect(items.first()).toContainText("Item 25");
    await page.getByLabel("Order", { exact: true }).selectOption("Oldest first");
    await found("Search the trash", "item 0");
    const titles = Array.from({ length: 26 }, (_, number) => `Item ${String(number).padStart(2, "0")}`);
    await expect(items).toHaveText(titles.filter((title) => title.includes("0")).map((title) => new RegExp(title)));
    await found("Search the trash", "nobody");
    await expect(page.getByText("Nothing in this list matches the search.")).toBeVisible();
    await open(page, `${base}/people/audit`);
    await found("Search", "ITEM 07");
    // Nothing of fields that were left empty.
    await expect(page).toHaveURL(`${base}/people/audit?q=ITEM%2007`);
    await expect(page.locator("tbody tr")).toHaveText([/Deleted.*Item 07/, /Created.*Item 07/, /Created.*Item 07/]);
    await page.getByRole("link", { name: "When" }).click();
    await expect(page.locator("tbody tr").last()).toContainText("Deleted");
    await found("Search", "nobody");
    await expect(page.getByRole("heading", { name: "No results" })).toBeVisible();
    await page.getByRole("main").getByRole("link", { name: "Clear filter" }).first().click();
    await expect(page.getByRole("searchbox", { name: "Search" })).toHaveValue("");
    const key = await person.key("Nightly export");
    expect(await key.works()).toBe(true);
    expect((await person.call("POST", "/v1/organizations", { name: "Shop Ltd" })).ok).toBe(true);
    for (const [path, there, shown] of [
      [`${base}/proofs/publications`, "english", page.locator("tbody tr")],
      [`${base}/people`, person.username, items],
      [`${placet.url}/account/keys`, "EXPORT", items],
      [`${placet.url}/organizations`, "ltd", items],
    ] as const) {
      await open(page, `${path}?q=${there}`);
      await expect(shown).toHaveCount(1);
      await open(page, `${path}?q=nobody`);
      await expect(page.getByText("Nothing in this list matches the search.").first()).toBeVisible();
      await page.getByRole("main").getByRole("link", { name: "Clear filter" }).first().click();
      await expect(page).toHaveURL(path);
      await expect(shown).toHaveCount(1);
    }
  });
});
