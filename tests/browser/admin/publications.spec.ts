// Everything that visitors were shown can be looked at again.

import { expect, onOne, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

onOne("sqlite", () => {
  test("an earlier publication shows again what visitors saw then", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    const project = `${placet.url}/projects/${shop.project}`;
    await open(page, `${project}/proofs/publications`);
    await expect(page.getByRole("heading", { name: "Nothing was published yet" })).toBeVisible();
    await person.publish(shop.project);
    const consent = await person.consent(shop, "visitor-1", { our_chat: true });
    const { data } = await person.read("cookies", shop.configuration);
    const [welcome, ...others] = data.steps as { title: string }[];
    const steps = [{ ...welcome, title: "Your choices" }, ...others];
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { steps });
    await person.publish(shop.project);

    await open(page, `${project}/publish`);
    await page.getByRole("link", { name: "What visitors saw" }).click();
    const rows = page.locator("tbody tr");
    await expect(rows).toHaveCount(2);
    await rows.first().getByRole("link").click();
    const seen = page.locator(".preview iframe:not(.waiting)").contentFrame();
    await expect(seen.getByRole("dialog", { name: "Your choices" })).toBeVisible();
    await expect(page.getByRole("region", { name: "The texts that were shown" })).toContainText("Your choices");

    // A proof leads to the publication that its visitor saw.
    await open(page, `${project}/proofs/${consent}`);
    await page.locator(".facts").getByRole("link", { name: "Open", exact: true }).click();
    await expect(seen.getByRole("dialog", { name: "Your privacy" })).toBeVisible();
    await expect(page.getByRole("region", { name: "The texts that were shown" })).toContainText("Your privacy");
    await page.getByRole("link", { name: "What visitors saw" }).click();
    await expect(rows).toHaveCount(2);
  });
});
