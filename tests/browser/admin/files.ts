// Files for uploads in the admin UI.

import { type Locator } from "@playwright/test";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M/wHwAEBgIApD5fRAAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n");

/** A picture of one pixel. */
export const picture = { name: "letter.png", mimeType: "image/png", buffer: png };
export const terms = { name: "terms.pdf", mimeType: "application/pdf", buffer: pdf };

/** Drops the picture on an element. */
export async function drop(on: Locator): Promise<void> {
  const dropped = await on.page().evaluateHandle((bytes) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes)], "letter.png", { type: "image/png" }));
    return transfer;
  }, [...png]);
  await on.dispatchEvent("drop", { dataTransfer: dropped });
}

/** True if a picture has loaded and has pixels. */
export function drawn(image: Locator): Promise<boolean> {
  return image.evaluate((element) => element instanceof HTMLImageElement && element.complete && element.naturalWidth > 0);
}
