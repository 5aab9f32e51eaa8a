// Webhooks: registered, tested, and their deliveries read and retried.

import { expect, expectAccessible, onOne } from "../support/test.ts";
import { test } from "./office.ts";
import { open, Person } from "./person.ts";

onOne("postgres", () => {
  test("a webhook is registered, tested, mended, rotated and removed", async ({ page, office, context, site }) => {
    const { placet } = office;
    const person = await Person.join(placet);
    const shop = await person.shop();
    await person.enter(context);
    await open(page, `${placet.url}/projects/${shop.project}`);
    await page.getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("button", { name: "New webhook" }).first().click();
    const form = page.getByRole("dialog", { name: "New webhook" });
    await form.getByLabel("URL").fill("nowhere");
    await form.getByRole("button", { name: "Add" }).click();
    await expect(form.getByLabel("URL")).toHaveAccessibleDescription(/starts with https/);
    await expectAccessible(page);
    await form.getByLabel("URL").fill(`${site.origin}/hook`);
    await form.getByRole("button", { name: "Add" }).click();
    await expect(form.locator("pre code")).toContainText("whsec_");
    await form.getByRole("link", { name: "Show the webhook" }).click();
    await expect(page.getByRole("heading", { name: `${site.origin}/hook`, level: 1 })).toBeVisible();
    await expect(page.getByText("No deliveries")).toBeVisible();

    // The endpoint has no route yet, and a test is tried once.
    const deliveries = page.getByRole("region", { name: "Deliveries" });
    await page.getByRole("button", { name: "Send a test" }).click();
    await expect(page.locator(".toast", { hasText: "Test on its way" })).toBeVisible();
    // Waits for the result.
    const look = async (state: string): Promise<void> => {
      await expect(async () => {
        const asked = page.waitForRequest("**/ui/webhooks/deliveries");
        await deliveries.getByRole("button", { name: "Refresh" }).click();
        await (await (await asked).response())?.finished();
        await expect(deliveries.getByRole("listitem").first()).toContainText(state, { timeout: 500 });
      }).toPass();
    };
    await look("Given up");
    await deliveries.locator("summary").first().click();
    await expect(deliveries.getByText("answered 404")).toBeVisible();
    await expectAccessible(page);

    site.put("/hook", "thank you");
    await deliveries.getByRole("button", { name: "Send again: webhook.test" }).click();
    await expect(page.locator(".toast", { hasText: "Sent again" })).toBeVisible();
    await look("Delivered");
    // The open details stay open and show the results.
    await expect(deliveries.getByText("answered 404")).toBeVisible();
    await expect(deliveries.getByText("answered 200")).toBeVisible();
    await deliveries.getByRole("link", { name: "Given up" }).click();
    await expect(deliveries.getByText("No deliveries in this state.")).toBeVisible();
    expect(site.asked.filter((path) => path === "/hook")).toHaveLength(2);

    await page.getByRole("button", { name: "Rotate secret" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate secret" }).click();
    await expect(page.getByRole("dialog").locator("pre code")).toContainText("whsec_");
    await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();

    await page.getByRole("switch", { name: "Active" }).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByText("Off", { exact: true })).toBeVisible();
    await expect(page.getByRole("button", { name: "Send a test" })).toBeDisabled();
    await page.getByRole("button", { name: "Delete webhook" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete webhook" }).click();
    await expect(page.getByRole("heading", { name: "No webhooks yet" })).toBeVisible();
  });
});
