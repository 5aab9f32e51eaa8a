// The list of projects and the switcher, for people with many of them.

import { expect, onOne, test } from "../support/test.ts";
import { expectAccessible } from "../support/axe.ts";
import { open, Person } from "./person.ts";

onOne("sqlite", () => {
  test("a table sorts projects, and publishes several at once", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shops = [];
    for (const title of ["Site 10", "Site 9", "Site 1"]) {
      const shop = await person.shop();
      await person.call("PATCH", `/v1/vault/projects/${shop.project}`, { title });
      shops.push(shop);
    }
    const [ten, nine, one] = shops;
    if (!ten || !nine || !one) throw new Error("three were made");
    await person.call("PATCH", `/v1/vault/projects/${nine.project}`, { approval: true });
    // A banner without a way back is warned of.
    await person.call("PATCH", `/v1/vault/cookies/${one.configuration}`, { settings: { reopenButton: false } });
    await person.make("projects", { title: "Empty", websiteURL: "https://empty.example" });

    await open(page, placet.url);
    await expect(page.locator(".project-card h2")).toHaveText(["Empty", "Site 1", "Site 9", "Site 10"]);
    await page.getByRole("link", { name: "Table" }).click();
    await expect(page).toHaveURL(/view=table/);
    const titles = page.locator("tbody td:nth-child(2) a");
    await expect(titles).toHaveText(["Empty", "Site 1", "Site 9", "Site 10"]);
    await person.publish(ten.project);
    await person.consent(ten, "visitor", { our_chat: true });
    await page.getByRole("link", { name: "Consents, 7 days" }).click();
    await expect(titles.first()).toHaveText("Site 10");
    await expect(page.getByRole("columnheader", { name: "Consents, 7 days" })).toHaveAttribute("aria-sort", "descending");
    await expect(page.getByRole("columnheader", { name: "Accepted all, of those who answered" })).toBeVisible();
    await expectAccessible(page);

    // A search keeps view and order.
    await page.getByRole("searchbox", { name: "Search projects" }).fill("site");
    await page.getByRole("main").getByRole("button", { name: "Search" }).click();
    await expect(titles).toHaveText(["Site 10", "Site 1", "Site 9"]);
    await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
    await expect(page.getByText("3 projects chosen")).toBeVisible();
    await page.getByRole("checkbox", { name: "Choose Site 10" }).uncheck();
    await page.getByRole("checkbox", { name: "Choose Site 10" }).check();
    await page.getByRole("main").getByRole("button", { name: "Publish" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
    const row = (title: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name: title, exact: true }) });
    await expect(row("Site 10")).toContainText("Published");
    await expect(row("Site 9")).toContainText("Waits for approval");
    await expect(row("Site 1")).toContainText("There are warnings");
    await expect(page.getByText("Not all are published. The table says which.")).toBeVisible();
    await expect(row("Site 1").getByRole("link", { name: "Look" })).toHaveAttribute("href", `/projects/${one.project}/publish`);
    await expect(page.getByText("projects chosen")).toHaveCount(0);
  });

  test("projects that only wait for approval are not called published", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    for (const [title, approval] of [["First", true], ["Second", true], ["Third", false]] as const) {
      const shop = await person.shop();
      await person.call("PATCH", `/v1/vault/projects/${shop.project}`, { title, approval });
    }
    await open(page, `${placet.url}/?view=table`);
    for (const [titles, said] of [
      [["First"], "1 project waits for approval."],
      [["Second", "Third"], "1 project waits for approval. The others are published."],
    ] as const) {
      for (const title of titles) await page.getByRole("checkbox", { name: `Choose ${title}` }).check();
      await page.getByRole("main").getByRole("button", { name: "Publish" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
      await expect(page.locator(".toast").filter({ hasText: said })).toHaveCount(1);
    }
  });

  test("the switcher finds projects, and shows the latest ones on top", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const make = (number: number) => person.make("projects", { title: `Café ${number}`, websiteURL: `https://c${number}.example` });
    const made = await Promise.all(Array.from({ length: 101 }, (_, at) => make(at + 1)));
    // The list has a hundred, and what is open is known beyond them.
    for (const number of [3, 101]) {
      await open(page, `${placet.url}/projects/${made[number - 1]?.id}`);
      await expect(page.locator(".switcher summary")).toContainText(`Café ${number}`);
      await expect.poll(() => page.evaluate(() => localStorage.getItem("placet_recent"))).toContain(made[number - 1]?.id);
    }
    await open(page, placet.url);
    const summary = page.locator(".switcher summary");
    await summary.click();
    const items = page.locator(".switcher a[href^='/projects/']:not([href$='/new'])");
    await expect(items).toHaveCount(102);
    await expect(items.first()).toContainText("Café 101");
    await expect(items.nth(1)).toContainText("Café 3");
    await expect(items.nth(2)).toContainText("Café 1");
    const search = page.locator(".switcher").getByRole("searchbox", { name: "Find a project" });
    await search.fill("cafe 88");
    await expect(items).toHaveCount(1);
    await search.press("ArrowDown");
    await expect(items.first()).toBeFocused();
    await search.fill("none of them");
    await expect(page.locator(".switcher").getByRole("status")).toHaveText("No project matches your search.");
    await search.fill("c5.example");
    await expect(items).toHaveText(/Café 5/);
    await items.first().click();
    await expect(page.getByRole("heading", { name: "Café 5", level: 1 })).toBeVisible();
  });
});
