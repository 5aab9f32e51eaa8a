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
    await expect.poll(failed, { timeout: 30_000 }).toBe(20);
    await open(page, `${base}/publish`);
    await expect(page.getByText("1–20 of 21")).toBeVisible();
    const live = page.getByRole("row").filter({ hasText: "Live" });
    await expect(live).toHaveCount(0);
    await page.getByRole("link", { name: "Next page" }).click();
    await expect(page.getByText("21–21 of 21")).toBeVisible();
    await expect(live).toHaveCount(1);

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
    await page.getByRole("searchbox", { name: "Search configurations" }).fill("Item 07");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("row").filter({ hasText: "Item" })).toHaveText([/Item 07/]);
    await page.getByRole("searchbox", { name: "Search configurations" }).fill("");
    await page.getByLabel("Order", { exact: true }).selectOption("Last changed first");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(page.getByRole("row").nth(1)).toContainText("Item 25");
  });
});
