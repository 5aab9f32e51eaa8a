import { expect, onOne, test } from "../support/test.ts";
import { alive, open, Person } from "./person.ts";

onOne("postgres", () => {
  test("a visitor's choice is found and proves itself", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const shop = await person.shop();
    await person.publish(shop.project);
    const proofs = `${placet.url}/projects/${shop.project}/proofs`;
    await open(page, proofs);
    await expect(page.getByRole("heading", { name: "No consents yet" })).toBeVisible();

    for (let visitor = 0; visitor < 30; visitor += 1) {
      await person.consent(shop, `visitor-${visitor}`, { our_chat: visitor % 3 === 0 });
    }
    const withdrawn = await person.consent(shop, "visitor-0", { our_chat: false });
    await open(page, proofs);
    await expect(page.getByText("1–25 of 31")).toBeVisible();
    await page.getByRole("link", { name: "Next page" }).click();
    await expect(page.getByText("26–31 of 31")).toBeVisible();
    await expect(page).toHaveURL(`${proofs}?page=2`);
    await page.goBack();
    await expect(page.getByText("1–25 of 31")).toBeVisible();
    await page.getByRole("link", { name: "Decided" }).click();
    await expect(page.getByRole("columnheader", { name: "Decided" })).toHaveAttribute("aria-sort", "ascending");
    await expect(page.locator("tbody tr").first()).toContainText("visitor-0");
    await page.getByRole("link", { name: "Last 7 days" }).click();
    await expect(page).toHaveURL(/from=\d{4}-\d\d-\d\d&sort=oldest$/);
    await expect(page.getByRole("link", { name: "Last 7 days" })).toHaveAttribute("aria-current", "true");
    await expect(page.getByText("1–25 of 31")).toBeVisible();
    await page.getByRole("link", { name: "All time" }).click();
    await expect(page.getByRole("link", { name: "All time" })).toHaveAttribute("aria-current", "true");
    await page.getByRole("link", { name: "Decided" }).click();
    await expect(page.getByRole("columnheader", { name: "Decided" })).toHaveAttribute("aria-sort", "descending");
    await expect(page).toHaveURL(proofs);

    // Each outcome says how many there are, whichever is chosen.
    const outcomes = page.getByRole("navigation", { name: "Outcome" }).getByRole("link");
    const counted = [/^All\s*31$/, /^Accepted\s*10$/, /^Partial\s*0$/, /^Refused\s*21$/];
    await expect(outcomes).toHaveText(counted);
    await outcomes.nth(1).click();
    await expect(page.getByText("1–10 of 10")).toBeVisible();
    await expect(outcomes).toHaveText(counted);
    await expect(outcomes.nth(1)).toHaveAttribute("aria-current", "true");
    // The form keeps it.
    await page.getByRole("textbox", { name: "Token" }).fill("visitor-3");
    await page.getByRole("button", { name: "Filter" }).click();
    await expect(page.locator("tbody tr")).toHaveCount(1);
    await expect(outcomes).toHaveText([/^All\s*1$/, /^Accepted\s*1$/, /^Partial\s*0$/, /^Refused\s*0$/]);
    await expect(page).toHaveURL(/outcome=accepted/);
    await page.getByRole("link", { name: "Clear filter" }).click();
    // The form belongs to the list that is shown.
    await expect(page.getByText("1–25 of 31")).toBeVisible();
    await page.getByRole("textbox", { name: "Token" }).fill("visitor-0");
    await page.getByRole("button", { name: "Filter" }).click();
    await expect(page.locator("tbody tr")).toHaveCount(2);
    await expect(page.locator("tbody tr", { hasText: "Not signed" })).toHaveCount(2);
    await page.reload();
    await expect(page.locator("tbody tr")).toHaveCount(2);
    await alive(page);
    // The fields are empty when the filter is.
    const fields = [page.getByRole("textbox", { name: "Token" }), page.getByLabel("From", { exact: true })] as const;
    await fields[0].fill("visitor-1");
    await fields[1].fill("2020-01-01");
    await page.getByRole("button", { name: "Filter" }).click();
    await expect(page).toHaveURL(/from=2020-01-01/);
    await page.getByRole("link", { name: "Clear filter" }).click();
    await expect(page.getByText("1–25 of 31")).toBeVisible();
    for (const field of fields) await expect(field).toHaveValue("");
    await fields[0].fill("visitor-0");
    await page.getByRole("button", { name: "Filter" }).click();
    await expect(page.locator("tbody tr")).toHaveCount(2);

    await page.locator("tbody a").last().click();
    await expect(page.getByRole("heading", { name: "Proof of consent" })).toBeVisible();
    await expect(page.getByText("Replaced by a later consent")).toBeVisible();
    const facts = page.locator(".facts");
    await expect(facts).toContainText("visitor-0");
    await expect(page.getByText("Anyone who guesses it can answer")).toBeVisible();
    await expect(facts).toContainText("shop.example");
    await expect(facts).toContainText("127.0.0.0");
    await expect(facts).toContainText(/[0-9a-f]{64}/);
    await expect(page.getByRole("row", { name: /Our chat/ })).toContainText("Accepted");
    const seen = page.locator(".preview iframe:not(.waiting)").contentFrame();
    await expect(seen.getByRole("dialog", { name: "Your privacy" })).toBeVisible();
    // It is there without scrolling, as on a desktop.
    await expect(page.locator(".preview")).toBeInViewport();
    await expect(page.getByRole("button", { name: "Desktop" })).toHaveAttribute("aria-pressed", "true");
    // The page names the facts that no consent stores.
    await expect(page.getByText("A consent keeps neither the width of the window nor whether it was dark.")).toBeVisible();

    await open(page, `${proofs}/${withdrawn}`);
    await expect(page.getByRole("row", { name: /Our chat/ })).toContainText("Refused");
    await expect(page.getByText("Replaced by a later consent")).toHaveCount(0);

    await open(page, `${placet.url}/projects/${shop.project}`);
    await expect(page.locator(".tile", { hasText: "Consents today" })).toContainText("31");
    await page.getByText("Show as a table").click();
    await expect(page.getByRole("row").nth(1)).toContainText("10");
    await page.goto(placet.url);
    await expect(page.locator(".project-card")).toContainText("31 consents in 7 days");

    await open(page, `${proofs}/${withdrawn}`);
    await page.getByRole("button", { name: "Erase" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Erase" }).click();
    await expect(page).toHaveURL(proofs);
    await expect(page.locator("tbody tr", { hasText: "Erased" })).toHaveCount(1);
    await open(page, `${proofs}/${withdrawn}`);
    await expect(page.locator(".facts")).not.toContainText("visitor-0");
    await expect(page.getByText("The choices were erased")).toBeVisible();
    await expect(page.getByRole("button", { name: "Erase" })).toHaveCount(0);
  });
});

test("a refusal by closing says so", async ({ page, placet, context }) => {
  const person = await Person.join(placet);
  await person.enter(context);
  const shop = await person.shop();
  await person.publish(shop.project);
  for (const [action, count] of [["close", 1], [undefined, 0]] as const) {
    const consent = await person.consent(shop, `visitor-${count}`, { our_chat: false }, action);
    await open(page, `${placet.url}/projects/${shop.project}/proofs/${consent}`);
    await expect(page.locator(".badge", { hasText: "Refused" }).first()).toBeVisible();
    await expect(page.getByText("By closing", { exact: true })).toHaveCount(count);
  }
});
