// The operator's page about the ledger.

import { expect, Placet, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

const TOKEN = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f";

interface State {
  published?: number;
  lagSeconds?: number;
  mlDsaVkey?: string;
}

test("the operator reads how many entries wait, and how old the latest checkpoint is", async ({ page, context }) => {
  const placet = await Placet.start("sqlite", ["--operator", "keeper@shop.example", "--ledger-every", "3600"]);
  try {
    const keeper = await Person.verified(placet, "keeper");
    const shop = await keeper.shop();
    await keeper.publish(shop.project);
    const state = async (): Promise<State> => (await (await keeper.call("GET", "/v1/operator/ledger")).json()) as State;
    // The first checkpoint waits for nobody, and the next one comes in an hour.
    await expect.poll(async () => (await state()).published ?? 0).toBeGreaterThan(0);
    await keeper.consent(shop, TOKEN, { our_chat: true });
    await expect.poll(async () => (await state()).lagSeconds ?? 0).toBeGreaterThan(0);
    await keeper.enter(context);
    await open(page, `${placet.url}/account/ledger`);
    const tile = page.locator(".tile", { hasText: "Entries that wait" });
    await expect(tile.locator("dd").first()).toHaveText("1");
    await expect(tile).toContainText(/They wait for a checkpoint\. The latest one is \d+ s old\./);
    // The key for ML-DSA-44 is copied whole, and shown by its name.
    const told = (await state()).mlDsaVkey ?? "";
    const key = page.locator("dd", { hasText: "quantum" }).locator("code");
    await expect(key).toHaveAttribute("title", told);
    await expect(key).toHaveText(`${told.slice(0, told.lastIndexOf("+"))}+…`);
  } finally {
    await placet.stop();
  }
});

test("the operator reads what was removed, and which ledgers have ended", async ({ page, context }) => {
  const placet = await Placet.start("postgres", ["--operator", "keeper@shop.example", "--ledger-every", "1"]);
  try {
    const keeper = await Person.verified(placet, "keeper");
    await expect.poll(async () => (await keeper.call("GET", "/v1/operator/ledger")).status).toBe(200);
    // As the years leave it: an older ledger of 81,920 entries, and 256 entries below the first that is kept.
    await placet.sql(
      "INSERT INTO retired_ledgers (number, origin, size, pruned, removed, retired_at) " +
        "VALUES (1, 'old.example/ledger/0123456789ab', 81920, 512, 512, 1700000000000000)",
    );
    await placet.sql("UPDATE ledger SET pruned = 256");
    await keeper.enter(context);
    await open(page, `${placet.url}/account/ledger`);
    await expect(page.locator(".notice", { hasText: "Kept from entry 256 on" })).toBeVisible();
    const row = page.locator("section", { hasText: "Earlier ledgers" }).locator("tbody tr");
    await expect(row).toHaveCount(1);
    await expect(row).toContainText("old.example/ledger/0123456789ab");
    await expect(row).toContainText("81,920 entries");
    await expect(row).toContainText("Kept from entry 512 on");
  } finally {
    await placet.stop();
  }
});
