import { expect, onBoth, test } from "../support/test.ts";

onBoth(() => {
  test("a fresh server is ready for browsers", async ({ page, placet }) => {
    const answer = await page.goto(`${placet.url}/health/ready`);
    expect(answer?.status()).toBe(200);
    expect(answer?.headers()["x-content-type-options"]).toBe("nosniff");
  });
});
