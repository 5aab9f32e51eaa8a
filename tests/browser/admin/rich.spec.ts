// Texts with bold words, links and lists, in fields that show them as visitors see them.

import { type BrowserContext, type Locator, type Page } from "@playwright/test";
import { expect, expectAccessible, onOne, type Placet, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

/** The widget inside the live preview. */
const shown = (page: Page) => page.locator(".preview iframe:not(.waiting)").contentFrame();

const saved = (page: Page) => page.locator(".save-state").first().filter({ hasText: /^Saved$/ });

/** Pastes as other programs do, which put markup beside the plain text. */
const paste = (field: Locator, html: string, plain: string): Promise<void> =>
  field.evaluate(
    (element, [html, plain]) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/html", html);
      clipboardData.setData("text/plain", plain);
      element.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    },
    [html, plain] as const,
  );

const message = async (person: Person, configuration: string): Promise<unknown> => {
  const { steps } = (await person.read("cookies", configuration)).data as { steps: { message: unknown }[] };
  return steps[0]?.message;
};

/** Opens the first step of a shop in the editor, once its message can be edited. */
const edit = async (page: Page, placet: Placet, context: BrowserContext) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const shop = await person.shop();
  await open(page, `${placet.url}/projects/${shop.project}/widget/${shop.configuration}?at=step-1`);
  const field = page.getByLabel("Message");
  await expect(field).toHaveAttribute("contenteditable", "true");
  await field.focus();
  return { person, shop, field };
};

/** A message that a member stored by the API, past the field. */
const STORED = `<p>You <b>decide</b></p><script>x</script><img src="x" onerror="document.title='ran'"><a href="javascript:ran()"></a>`;
const HARMFUL = "script, img, a";

onOne("sqlite", () => {
  test("a text gets bold words, a link and a list by keyboard, and visitors see them", async ({ page, placet, context }) => {
    const { person, shop, field } = await edit(page, placet, context);
    const { keyboard } = page;
    await keyboard.press("Control+A");
    await keyboard.type("You ");
    await keyboard.press("Control+B");
    await keyboard.type("always");
    await expect(page.getByRole("button", { name: "Bold" })).toHaveAttribute("aria-pressed", "true");
    await keyboard.press("Control+B");
    await keyboard.type(" decide. Our terms");
    for (let letter = 0; letter < "terms".length; letter++) await keyboard.press("Shift+ArrowLeft");

    // The same key opens "Go to" elsewhere.
    await keyboard.press("Control+K");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    const address = page.getByLabel("Link address");
    await expect(address).toBeFocused();
    await keyboard.type("javascript:alert(1)");
    await keyboard.press("Enter");
    await expect(address).toHaveAccessibleDescription(/Links lead to web pages/);
    await expectAccessible(page);
    await keyboard.press("Control+A");
    await keyboard.type("shop.example/terms");
    await keyboard.press("Enter");
    await expect(field).toBeFocused();
    await expect(address).toBeHidden();

    await keyboard.press("End");
    await keyboard.press("Enter");
    await keyboard.type("No cookies before");
    // From the text back to its buttons, which are one stop.
    await keyboard.press("Shift+Tab");
    await keyboard.press("End");
    await expect(page.getByRole("button", { name: "Numbered list" })).toBeFocused();
    await keyboard.press("ArrowLeft");
    const bullets = page.getByRole("button", { name: "Bulleted list" });
    await expect(bullets).toBeFocused();
    await keyboard.press("Enter");
    await expect(field).toBeFocused();
    await expect(bullets).toHaveAttribute("aria-pressed", "true");
    await keyboard.press("Enter");
    await keyboard.type("No tricks");

    const html =
      '<p>You <b>always</b> decide. Our <a href="https://shop.example/terms">terms</a></p>' +
      "<ul><li>No cookies before</li><li>No tricks</li></ul>";
    await expect.poll(() => message(person, shop.configuration)).toBe(html);
    await expect(saved(page)).toBeVisible();
    await expect(shown(page).locator("[part=message] b")).toHaveText("always");
    await expect(shown(page).getByRole("link", { name: "terms" })).toHaveAttribute("href", "https://shop.example/terms");
    await expect(shown(page).getByRole("listitem")).toHaveText(["No cookies before", "No tricks"]);

    await page.reload();
    await expect(field).toHaveAttribute("contenteditable", "true");
    await expect(field.getByRole("listitem")).toHaveText(["No cookies before", "No tricks"]);
    await expect(field.locator("b")).toHaveText("always");
    await expectAccessible(page);
    // Looking changes nothing.
    await field.focus();
    await expect(page.locator(".save-state").first()).not.toContainText("Unsaved");
    expect(await message(person, shop.configuration)).toBe(html);

    // The link knows its address, and goes alone.
    await field.getByText("terms").click();
    const button = page.getByRole("button", { name: "Link", exact: true });
    await expect(button).toHaveAttribute("aria-pressed", "true");
    await button.click();
    await expect(address).toHaveValue("https://shop.example/terms");
    await address.fill("terms@shop.example");
    await page.getByRole("button", { name: "Set link" }).click();
    const mail = html.replace("https://shop.example/terms", "mailto:terms@shop.example");
    await expect.poll(() => message(person, shop.configuration)).toBe(mail);
    await field.getByText("terms").click();
    await button.click();
    await page.getByRole("button", { name: "Remove link" }).click();
    await expect.poll(() => message(person, shop.configuration)).toBe(html.replace(/<\/?a[^>]*>/g, ""));

    // The browser's undo takes back one change at a time.
    await keyboard.press("Control+Z");
    await expect.poll(() => message(person, shop.configuration)).toBe(mail);
    await keyboard.press("Control+Z");
    await expect.poll(() => message(person, shop.configuration)).toBe(html);
  });

  test("what is pasted keeps its words, and nothing of it runs", async ({ page, placet, context }) => {
    const { person, shop, field } = await edit(page, placet, context);
    await page.keyboard.press("Control+A");
    await paste(
      field,
      `<meta charset="utf-8"><style>p { color: red }</style><h1 onclick="ran()">We <em style="font-size: 40px">ask</em></h1>
       <script>document.title = "ran"</script><img src="x" onerror="document.title = 'ran'">
       <p>Our <a href="javascript:ran()">rules</a>, <a href="https://shop.example" target="_top" onclick="ran()">shop</a></p>`,
      "We ask",
    );
    const html = '<p>We <em>ask</em></p><p>Our rules, <a href="https://shop.example">shop</a></p>';
    await expect.poll(() => message(person, shop.configuration)).toBe(html);
    await expect(field.locator("script, style, img, h1, [style], [onclick]")).toHaveCount(0);
    await expect(page).not.toHaveTitle(/ran/);
    await page.keyboard.press("Control+Z");
    await expect(field).toHaveText("You decide. You can change your mind at any time.");

    // Without markup the text itself comes, also if it looks like some.
    await page.keyboard.press("Control+A");
    await paste(field, "", "1 < 2 <script>alert(1)</script>");
    await expect.poll(() => message(person, shop.configuration)).toBe("1 &lt; 2 &lt;script&gt;alert(1)&lt;/script&gt;");
    await expect(shown(page).getByText("1 < 2 <script>alert(1)</script>")).toBeVisible();

    // Google Docs puts all of it into a bold element that is not bold.
    await page.keyboard.press("Control+A");
    await paste(
      field,
      `<b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr"><span style="font-weight:400">One </span><span style="font-weight: 700">two</span></p>
       <ul><li dir="ltr"><p role="presentation"><span>Three</span></p></li></ul></b>`,
      "One two",
    );
    await expect.poll(() => message(person, shop.configuration)).toBe("<p>One <b>two</b></p><ul><li>Three</li></ul>");
    // A picture brings no text, and takes none away.
    await page.keyboard.press("Control+A");
    await paste(field, "", "");
    await expect(field).toHaveText("One twoThree");

    await page.keyboard.press("Control+A");
    await page.keyboard.press("Delete");
    await expect.poll(() => message(person, shop.configuration)).toBeUndefined();
    await expect(saved(page)).toBeVisible();
  });

  test("a translation stands beside its original, runs in its own direction, and is shown to viewers", async ({
    page,
    placet,
    context,
  }) => {
    const person = await Person.join(placet);
    const shop = await person.shop();
    const configuration = await person.read("cookies", shop.configuration);
    const steps = configuration.data["steps"] as Record<string, unknown>[];
    await person.call("PATCH", `/v1/vault/cookies/${shop.configuration}`, {
      languages: ["ar"],
      steps: steps.map((step, index) => (index === 0 ? { ...step, message: STORED } : step)),
    });
    await person.enter(context);
    const editor = `${placet.url}/projects/${shop.project}/widget/${shop.configuration}`;
    await open(page, `${editor}?at=language-ar`);
    const field = page.getByLabel("Message").first();
    await expect(field).toHaveAttribute("contenteditable", "true");
    await expect(field).toHaveAttribute("dir", "rtl");
    await expect(field).toHaveAttribute("lang", "ar");
    const original = page.locator(".original [lang=en]").filter({ hasText: "You decide" });
    await expect(original).toHaveText("You decide");
    await expect(original.locator("b")).toHaveText("decide");
    await expect(original.locator(HARMFUL)).toHaveCount(0);
    await field.focus();
    await page.keyboard.press("Control+I");
    await page.keyboard.type("أنت تقرر");
    await expect(saved(page)).toBeVisible();
    const name = String(steps[0]?.["name"]);
    const { translations } = (await person.read("cookies", shop.configuration)).data;
    expect(translations).toMatchObject({ ar: { steps: { [name]: { message: "<i>أنت تقرر</i>" } } } });
    await expectAccessible(page);

    const viewer = await Person.join(placet);
    const { id } = (await (await viewer.call("GET", "/v1/auth/me")).json()) as { id: string };
    await person.call("POST", `/v1/vault/projects/${shop.project}/users`, { userId: id, role: "viewer" });
    await viewer.enter(context);
    await open(page, `${editor}?at=step-1`);
    await expect(field).toBeDisabled();
    await expect(field).not.toHaveAttribute("contenteditable");
    await expect(field.locator("b")).toHaveText("decide");
    await expect(field.locator(HARMFUL)).toHaveCount(0);
    await expect(page).not.toHaveTitle(/ran/);
    await expect(page.getByRole("toolbar")).toHaveCount(0);
    await expectAccessible(page);
  });
});
