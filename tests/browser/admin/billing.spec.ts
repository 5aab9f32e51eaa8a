// The subscription of an organization, on a server with billing.

import { test as base, expect, expectAccessible, onOne, Placet } from "../support/test.ts";
import { Stripe } from "../support/stripe.ts";
import { open, Person } from "./person.ts";

const test = base.extend<object, { paid: { placet: Placet } }>({
  paid: [
    async ({}, use) => {
      const stripe = await Stripe.start();
      const placet = await Placet.start("sqlite", stripe.flags);
      await use({ placet });
      await placet.stop();
      await stripe.stop();
    },
    { scope: "worker" },
  ],
});

onOne("sqlite", () => {
  test("an owner subscribes, sees the invoice and cancels", async ({ page, paid: { placet }, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const made = await person.call("POST", "/v1/organizations", { name: "Corner shops" });
    const { id } = (await made.json()) as { id: string };
    await open(page, `${placet.url}/organizations/${id}`);
    const card = page.getByRole("region", { name: "Subscription" });
    const plans = card.getByRole("list", { name: "Plans" }).locator("> li");
    await expect(plans.first()).toContainText("Without a subscription");
    await expect(plans.first()).toContainText("Banners carry the note of a demo");
    await expect(plans.first()).toHaveAttribute("aria-current", "true");
    await expect(plans.last().getByRole("heading", { name: "Placet" })).toBeVisible();
    await expect(plans.last()).toContainText("49.00 EUR a month plus taxes");
    await card.getByRole("button", { name: "Show invoices" }).click();
    await expect(card).toContainText("No invoice yet.");
    await expect(card.getByRole("button", { name: "Change or cancel" })).toHaveCount(0);
    await expectAccessible(page);

    await card.getByRole("button", { name: "Subscribe" }).click();
    await page.getByRole("button", { name: "Pay 49 EUR" }).click();
    // No event has arrived, and the page says what the provider knows.
    await expect(page).toHaveURL(`${placet.url}/organizations/${id}`);
    await expect(card.getByText("Active", { exact: true })).toBeVisible();
    await expect(card).toContainText("and is then renewed.");
    await expect(plans.first()).not.toHaveAttribute("aria-current");
    await expect(plans.last()).toHaveAttribute("aria-current", "true");
    await card.getByRole("button", { name: "Show invoices" }).click();
    const invoice = card.getByRole("row").last();
    await expect(invoice).toContainText("49.00 EUR");
    await expect(invoice).toContainText("Paid");
    await expect(card.getByRole("button", { name: "Subscribe" })).toHaveCount(0);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page);

    await card.getByRole("button", { name: "Change or cancel" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect(card.getByText("Ended", { exact: true })).toBeVisible();
    await expect(card.getByRole("button", { name: "Subscribe" })).toBeVisible();

    // Members who do not own it see how it stands.
    const member = await Person.join(placet);
    const me = (await (await member.call("GET", "/v1/auth/me")).json()) as { id: string };
    expect((await person.call("POST", `/v1/organizations/${id}/users`, { userId: me.id, role: "editor" })).status).toBe(201);
    await context.clearCookies();
    await member.enter(context);
    await open(page, `${placet.url}/organizations/${id}`);
    await expect(card).toContainText("Owners of the organization subscribe and cancel.");
    await expect(card.getByRole("button")).toHaveCount(0);
  });

  test("a server without billing shows no subscription", async ({ page, placet, context }) => {
    const person = await Person.join(placet);
    await person.enter(context);
    const made = await person.call("POST", "/v1/organizations", { name: "Corner shops" });
    const { id } = (await made.json()) as { id: string };
    await open(page, `${placet.url}/organizations/${id}`);
    await expect(page.getByRole("heading", { name: "Settings" })).toBeVisible();
    await expect(page.getByRole("region", { name: "Subscription" })).toHaveCount(0);
  });
});
