// The operator's page about the ledger.

import { expect, Placet, test } from "../support/test.ts";
import { open, Person } from "./person.ts";

const TOKEN = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f";

interface State {
  published?: number;
  lagSeconds?: number;
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
  } finally {
    await placet.stop();
  }
});
