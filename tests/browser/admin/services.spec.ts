// The services of a project: list, search, catalogue, drawer, and the lines on the page "Install".

import { type Page } from "@playwright/test";
import { expect, expectAccessible, expectAccessibleInBoth, onOne, test } from "../support/test.ts";
import { open, Person, type Shop } from "./person.ts";

/** A shop that asks for its own chat and two services of the catalogue, and has another service of its own. */
async function stocked(person: Person): Promise<Shop & { youtube: string }> {
  const shop = await person.shop();
  const found = async (name: string): Promise<string> => {
    const answer = await person.call("GET", `/v1/vendors/solutions?data.name=${name}`);
    const [entry] = (await answer.json()) as { id: string }[];
    if (!entry) throw new Error(`the catalogue lacks ${name}`);
    return entry.id;
  };
  const [matomo, youtube] = [await found("matomo"), await found("youtube")];
  const steps = [
    { name: "welcome", layout: "welcome", title: "Your privacy" },
    { name: "services", layout: "category", title: "Our services", vendors: [shop.vendor, matomo, youtube] },
  ];
  await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, { steps });
  const cookieFacts = [{ name: "shelf", maxAgeSeconds: 2 * 365 * 86_400 }, { name: "till" }];
  await person.make("vendors", { projectId: shop.project, name: "shelf", title: "Shelf counter", company: "Shelf Ltd", country: "IE", cookieFacts });
  return { ...shop, youtube };
}

const drawer = (page: Page) => page.locator("dialog.drawer");
const row = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

onOne("sqlite", () => {
  test("the list names services with cookies, company and the steps that ask, and is searched", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await stocked(person);
    const list = `${placet.url}/projects/${shop.project}/vendors`;
    await open(page, list);
    await expect(page.getByRole("row")).toHaveCount(5);
    await expect(row(page, "Matomo")).toContainText("Analytics");
    await expect(row(page, "Our chat")).toContainText("Custom service");
    // A service that no step asks for comes last.
    await expect(page.getByRole("row").last()).toContainText("Shelf counter");
    await expect(page.getByRole("row").last()).toContainText("Shelf Ltd, IE");
    await expect(page.getByRole("row").last()).toContainText("2 years");
    await expect(page.getByRole("row").last()).toContainText("Not used");

    await page.getByRole("searchbox", { name: "Search your services" }).fill("shelf");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/vendors\?q=shelf/);
    await expect(page.getByRole("row")).toHaveCount(2);
    await page.getByRole("searchbox").fill("nothing at all");
    await page.keyboard.press("Enter");
    await expect(page.getByText("No service matches this search.")).toBeVisible();
    await page.getByRole("link", { name: "Clear filter" }).click();
    await expect(page.getByRole("row")).toHaveCount(5);

    await row(page, "Matomo").getByRole("link", { name: "English, Our services" }).click();
    await expect(page).toHaveURL(new RegExp(`/widget/${shop.configuration}\\?at=step-2$`));
    await expect(page.getByRole("heading", { name: "Step 2 of 2" })).toBeVisible();
  });

  test("the catalogue is searched page by page and tells which services are used", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await stocked(person);
    const list = `${placet.url}/projects/${shop.project}/vendors`;
    await open(page, list);
    await page.getByRole("link", { name: "Catalogue" }).click();
    await expect(page).toHaveURL(`${list}?tab=catalogue`);
    await expect(page.getByText(/^1–25 of 1,/)).toBeVisible();
    await page.getByRole("link", { name: "Next page" }).click();
    await expect(page.getByText(/^26–50 of 1,/)).toBeVisible();
    await page.getByRole("searchbox", { name: "Search the catalogue" }).fill("matomo");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(page).toHaveURL(/\?tab=catalogue&q=matomo/);
    await expect(row(page, "Matomo").first()).toContainText("English, Our services");
    await page.getByRole("link", { name: "Your services" }).click();
    await expect(page.getByRole("row")).toHaveCount(5);
  });

  test("the drawer tells everything of a service, by keyboard too, and its address can be shared", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await stocked(person);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    const list = `${placet.url}/projects/${shop.project}/vendors`;
    await open(page, list);
    const link = page.getByRole("link", { name: "YouTube", exact: true });
    await link.focus();
    await page.keyboard.press("Enter");
    await expect(drawer(page)).toHaveAccessibleName("YouTube");
    await expect(page).toHaveURL(`${list}?service=${shop.youtube}`);
    await expect(drawer(page)).toContainText("Google");
    await expect(drawer(page)).toContainText("United States");
    await expect(drawer(page).getByRole("link", { name: "https://policies.google.com/privacy" })).toBeVisible();
    await expect(drawer(page).getByRole("row", { name: /VISITOR_INFO1_LIVE/ })).toContainText("179 days");
    await expect(drawer(page)).toContainText("youtube.com");
    await expect(drawer(page).getByRole("link", { name: "English, step 2: Our services" })).toBeVisible();
    await drawer(page).getByRole("button", { name: "Copy Key" }).click();
    await expect.poll(copied).toBe("youtube");
    // Videos are frames, so their line is the first.
    await drawer(page).getByRole("button", { name: "Copy", exact: true }).first().click();
    await expect.poll(copied).toBe('<iframe data-requires-vendor-consent="youtube" data-src="https://…"></iframe>');
    await drawer(page).getByRole("button", { name: "Copy", exact: true }).last().click();
    await expect
      .poll(copied)
      .toBe('<script type="text/plain" data-requires-vendor-consent="youtube" src="https://…"></script>');

    await page.keyboard.press("Escape");
    await expect(drawer(page)).toBeHidden();
    await expect(page).toHaveURL(list);
    await expect(link).toBeFocused();
    // Back closes it as well.
    await link.press("Enter");
    await expect(drawer(page)).toBeVisible();
    await page.goBack();
    await expect(drawer(page)).toBeHidden();
    await expect(page).toHaveURL(list);

    await open(page, `${list}?service=${shop.youtube}`);
    await expect(drawer(page)).toHaveAccessibleName("YouTube");
    await drawer(page).getByRole("button", { name: "Close" }).click();
    await expect(drawer(page)).toBeHidden();
    await expect(page).toHaveURL(list);
    await open(page, `${list}?service=00000000-0000-7000-8000-000000000000`);
    await expect(drawer(page).getByRole("alert")).toContainText("Not found");
  });

  test("own services are made, changed, deleted and brought back", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await stocked(person);
    await open(page, `${placet.url}/projects/${shop.project}/vendors`);
    await page.getByRole("link", { name: "Shelf counter" }).click();
    await drawer(page).getByRole("button", { name: "Edit" }).click();
    const form = page.getByRole("dialog", { name: "Custom service" });
    await form.getByLabel("Title").fill("Better counter");
    await form.getByRole("button", { name: "Save" }).click();
    await expect(drawer(page)).toHaveAccessibleName("Better counter");
    await expect(row(page, "Better counter")).toHaveCount(1);
    await drawer(page).getByRole("button", { name: "Delete" }).click();
    await expect(drawer(page)).toBeHidden();
    await expect(row(page, "Better counter")).toHaveCount(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(row(page, "Better counter")).toHaveCount(1);

    // One that steps ask for is not deleted by a slip.
    await page.getByRole("link", { name: "Our chat" }).click();
    await drawer(page).getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("dialog", { name: "Delete this service?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(drawer(page)).toHaveAccessibleName("Our chat");
    await drawer(page).getByRole("button", { name: "Delete" }).click();
    await question.getByRole("button", { name: "Delete" }).click();
    await expect(page.getByRole("link", { name: "A service that is gone" })).toBeVisible();
    await page.getByRole("link", { name: "A service that is gone" }).click();
    await expect(drawer(page)).toContainText("English, step 2: Our services");

    const empty = await person.make("projects", { title: "New", websiteURL: "https://new.example" });
    await open(page, `${placet.url}/projects/${empty.id}/vendors`);
    await expect(page.getByRole("heading", { name: "No services yet" })).toBeVisible();
    await page.getByRole("button", { name: "New custom service" }).click();
    await form.getByLabel("Title").fill("Our map");
    // A form that was closed by mistake has its input again, until "Cancel" ends it.
    await page.keyboard.press("Escape");
    await expect(form).toBeHidden();
    await page.getByRole("button", { name: "New custom service" }).click();
    await expect(form.getByLabel("Title")).toHaveValue("Our map");
    await form.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "New custom service" }).click();
    await expect(form.getByLabel("Title")).toHaveValue("");
    await form.getByLabel("Title").fill("Our map");
    await form.getByRole("button", { name: "Create and add" }).click();
    await expect(row(page, "Our map")).toContainText("our_map");
  });

  test("a service made in the form has purposes and cookies, which visitors are told and which have their effect", async ({ page, placet, site, context, browser }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop(site.origin);
    await person.call("PATCH", `/v1/vault/vendors/${shop.vendor}`, { categories: null });
    await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=step-2`);
    const warning = page.getByRole("list", { name: "Warnings" }).getByText("Our chat has no purpose");
    await expect(warning).toBeVisible();
    await page.getByRole("button", { name: "Add services" }).click();
    const picker = page.getByRole("dialog", { name: "Add services" });
    await picker.getByRole("button", { name: "New custom service" }).click();
    await picker.getByLabel("Title").fill("Our adverts");
    await picker.getByLabel("Advertising", { exact: true }).check();
    await picker.getByRole("button", { name: "Add a cookie" }).click();
    await picker.getByLabel("Cookie name").fill("adverts_*");
    await picker.getByLabel("Life").selectOption("Days");
    await picker.getByLabel("Number").fill("soon");
    await picker.getByRole("button", { name: "Create and add" }).click();
    await expect(picker.locator(".problem")).toBeVisible();
    await picker.getByLabel("Number").fill("30");
    await picker.getByRole("button", { name: "Create and add" }).click();
    await picker.getByRole("button", { name: "Done" }).click();
    await expect(page.locator("main .vendor").last()).toContainText("Advertising");

    // A custom service of the step is changed in place, and the warning goes.
    await page.getByRole("button", { name: "Edit: Our chat" }).click();
    const form = page.getByRole("dialog", { name: "Custom service" });
    await form.getByLabel("Customer support", { exact: true }).check();
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form).toBeHidden();
    await expect(warning).toHaveCount(0);
    // A word that the catalogue does not know stays, and can be taken out.
    await person.call("PATCH", `/v1/vault/vendors/${shop.vendor}`, { categories: ["customer-support", "our-own"] });
    await page.getByRole("button", { name: "Edit: Our chat" }).click();
    await form.getByRole("button", { name: "Remove the purpose: our-own" }).click();
    await expectAccessible(page);
    await form.getByRole("button", { name: "Save" }).click();
    await expect(form).toBeHidden();
    expect((await person.read("vendors", shop.vendor)).data.categories).toEqual(["customer-support"]);
    await open(page, `${placet.url}/projects/${shop.project}/vendors`);
    await page.getByRole("link", { name: "Our adverts" }).click();
    await expect(drawer(page).getByRole("row", { name: /adverts_/ })).toContainText("30 days");

    // The banner writes the first step, and it names what its services are for.
    const steps = (await person.read("cookies", shop.configuration)).data.steps as Record<string, unknown>[];
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, {
      steps: steps.map(({ message, ...step }) => step),
      settings: { respectGpc: true },
    });
    await person.publish(shop.project);
    const address = site.put("/", {
      html: `<!doctype html><html lang="en"><title>Shop</title><script async src="${placet.url}/cdn/${shop.project}/en.js"></script><h1>Shop</h1></html>`,
    });
    const choices = (guest: Page) => guest.evaluate(() => (window as any).placetSDK.getChoices());
    const guest = await (await browser.newContext({ locale: "en-GB" })).newPage();
    await guest.goto(address);
    const banner = guest.getByRole("dialog", { name: "Your privacy" });
    await expect(banner).toContainText(/advertising/i);
    await banner.getByRole("button", { name: "Accept all" }).click();
    expect(await choices(guest)).toEqual({ our_chat: true, our_adverts: true });
    await guest.evaluate(() => (document.cookie = "adverts_1=7; path=/"));
    await guest.getByRole("button", { name: "Privacy choices" }).click();
    await guest.getByRole("button", { name: "Refuse all" }).click();
    await expect.poll(() => guest.evaluate(() => document.cookie)).not.toContain("adverts_1");
    await guest.context().close();

    const objecting = await (await browser.newContext({ locale: "en-GB" })).newPage();
    await objecting.addInitScript(() => Object.defineProperty(navigator, "globalPrivacyControl", { value: true }));
    await objecting.goto(address);
    await objecting.getByRole("button", { name: "Accept all" }).click();
    expect(await choices(objecting)).toEqual({ our_chat: true, our_adverts: false });
    await objecting.context().close();
  });

  test("the page for installing has a line for each service, and the packages", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await stocked(person);
    const welcome = { name: "welcome", layout: "welcome", title: "Hello", message: "You decide." };
    await person.make("cookies", { projectId: shop.project, name: "checkout", language: "en", steps: [welcome] });
    await open(page, `${placet.url}/projects/${shop.project}/install`);
    const line = (name: string) => page.getByRole("region", { name, exact: true });
    await expect(line("YouTube")).toHaveText('<iframe data-requires-vendor-consent="youtube" data-src="https://…"></iframe>');
    await expect(line("Matomo")).toHaveText(/^<script type="text\/plain" data-requires-vendor-consent="matomo" /);
    await expect(line("Our chat")).toHaveText(/data-requires-vendor-consent="our_chat"/);
    // No step asks for it.
    await expect(line("Shelf counter")).toHaveCount(0);
    await page.getByText("npm", { exact: true }).click();
    await expect(line("npm")).toContainText(`url: "${placet.url}"`);
    await expect(line("npm")).toContainText(`clientId: "${shop.project}"`);
    await page.getByLabel("Configuration", { exact: true }).selectOption("checkout (en)");
    await expect(line("npm")).toContainText('cookiesVersion: "checkout"');
    await page.getByText("WordPress", { exact: true }).click();
    await expect(page.getByText("deploy/wordpress/placet")).toBeVisible();
    await page.getByText("Google Tag Manager", { exact: true }).click();
    await expect(page.getByText("deploy/gtm/placet.tpl")).toBeVisible();
    await expectAccessible(page);
    await page.getByRole("link", { name: "YouTube" }).click();
    await expect(drawer(page)).toHaveAccessibleName("YouTube");
  });

  test("list, catalogue and drawer are accessible and fit a phone", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await stocked(person);
    const list = `${placet.url}/projects/${shop.project}/vendors`;
    for (const [width, height] of [[1440, 900], [390, 844]] as const) {
      await page.setViewportSize({ width, height });
      for (const query of ["", "?tab=catalogue", `?service=${shop.youtube}`, `?service=${shop.vendor}`]) {
        await open(page, list + query);
        if (query.startsWith("?service")) await expect(drawer(page).getByText("data-requires").first()).toBeVisible();
        await expectAccessibleInBoth(page);
        const overflows = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
        expect(overflows, `${query} at ${width}`).toBe(false);
      }
    }
  });
});
