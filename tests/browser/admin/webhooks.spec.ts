// Webhooks: registered, tested, and their deliveries read and retried.

import { expect, expectAccessible, onOne } from "../support/test.ts";
import { test } from "./office.ts";
import { open, Person } from "./person.ts";

/** Registers a webhook by the API. */
async function hook(person: Person, project: string, url: string): Promise<string> {
  const answer = await person.call("POST", "/v1/webhooks", { method: "POST", url, event: `consent/${project}` });
  expect(answer.status, await answer.clone().text()).toBe(201);
  return ((await answer.json()) as { id: string }).id;
}

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

  test("a link to the same page asks nothing and keeps the text, which closing still asks about", async ({ page, office, context }) => {
    const { placet } = office;
    const person = await Person.join(placet);
    await person.enter(context);
    const { project } = await person.shop();
    const id = await hook(person, project, "https://hooks.example/first");
    const address = `${placet.url}/projects/${project}/webhooks/${id}`;
    await open(page, address);
    const url = page.getByRole("textbox", { name: "URL" });
    await url.fill("https://hooks.example/typed");
    await page.getByRole("region", { name: "Deliveries" }).getByRole("link", { name: "Delivered" }).click();
    await expect(page).toHaveURL(`${address}?status=delivered`);
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(url).toHaveValue("https://hooks.example/typed");
    const asked = page.waitForEvent("dialog");
    await page.close({ runBeforeUnload: true });
    await (await asked).dismiss();
  });

  test("going back from one webhook to another shows and saves that one", async ({ page, office, context }) => {
    const { placet } = office;
    const person = await Person.join(placet);
    await person.enter(context);
    const { project } = await person.shop();
    const [first, second] = ["https://hooks.example/first", "https://hooks.example/second"] as const;
    const [id, other] = [await hook(person, project, first), await hook(person, project, second)];
    const list = `/projects/${project}/webhooks`;
    await open(page, `${placet.url}${list}/${id}`);
    await page.getByRole("main").getByRole("link", { name: "Webhooks" }).click();
    await page.getByRole("link", { name: second }).click();
    const url = page.getByRole("textbox", { name: "URL" });
    await expect(url).toHaveValue(second);
    await page.evaluate(() => history.go(-2));
    await expect(page.getByRole("heading", { name: first, level: 1 })).toBeVisible();
    await expect(url).toHaveValue(first);
    const tab = page.getByRole("region", { name: "Deliveries" }).getByRole("link", { name: "Delivered" });
    await expect(tab).toHaveAttribute("href", `${list}/${id}?status=delivered`);
    await url.fill(`${first}/again`);
    await page.getByRole("button", { name: "Save" }).click();
    await expect(page.getByRole("heading", { name: `${first}/again`, level: 1 })).toBeVisible();
    const stored = await (await person.call("GET", `/v1/webhooks/${other}`)).json();
    expect(stored).toMatchObject({ url: second });
  });
});
