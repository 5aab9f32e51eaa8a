// A server whose operator keeps a Global Vendor List.

import { list } from "../support/gvl.ts";
import { expect, Placet } from "../support/test.ts";
import { Person } from "./person.ts";

/** A server with a platform, and its operator. */
export async function kept(lists = "off"): Promise<{ placet: Placet; keeper: Person }> {
  const placet = await Placet.start("sqlite", [
    ...["--tcf-cmp-id", "31", "--tcf-gvl-url", lists],
    ...["--operator", "keeper@shop.example"],
  ]);
  return { placet, keeper: await Person.verified(placet, "keeper") };
}

export async function imports(placet: Placet, keeper: Person): Promise<void> {
  const form = new FormData();
  form.append("file", new Blob([JSON.stringify(list())]), "vendor-list.json");
  const headers = { authorization: `Bearer ${keeper.token}` };
  const answer = await fetch(`${placet.url}/v1/operator/vendor-list`, { method: "POST", headers, body: form });
  expect(answer.status, await answer.clone().text()).toBe(200);
}
