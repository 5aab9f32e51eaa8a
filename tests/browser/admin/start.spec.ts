import { expect, onOne, test } from "../support/test.ts";

onOne("sqlite", () => {
  test("a fresh server is ready for browsers", async ({ page, placet }) => {
    const answer = await page.goto(`${placet.url}/health/ready`);
    expect(answer?.status()).toBe(200);
    expect(answer?.headers()["x-content-type-options"]).toBe("nosniff");
  });
});
