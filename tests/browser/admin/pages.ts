// Every page of the admin UI for a signed-in person.

import { type Person, type Shop } from "./person.ts";

export interface Pages {
  readonly paths: Readonly<Record<string, string>>;
  readonly shop: Shop;
  readonly organization: string;
  readonly box: string;
  readonly contract: string;
}

/** Makes the content of each page for a person and returns the paths. */
export async function pages(person: Person): Promise<Pages> {
  const shop = await person.shop();
  await person.publish(shop.project);
  const consent = await person.consent(shop, "a-visitor-with-a-long-token-0123456789", { our_chat: false });
  await person.call("PATCH", `/v1/vault/projects/${shop.project}`, { title: "Corner shop and more" });
  const made = async (path: string, body: unknown): Promise<{ id: string }> =>
    (await (await person.call("POST", path, body)).json()) as { id: string };
  const organization = await made("/v1/organizations", { name: "Shop Ltd" });
  await made("/v1/auth/keys", { name: "Export", scopes: ["read", "consents"] });
  const event = `publish/${shop.project}`;
  const webhook = await made("/v1/webhooks", { method: "POST", url: "https://shop.example/hooks/placet", event });
  const box = await person.make("processings", {
    projectId: shop.project,
    title: "Our newsletter",
    language: "en",
    message: "<b>Twice</b> a month.",
    buttons: [{ text: "Yes", color: "primary" }, { text: "No", value: false }, { text: "Offers", value: "offers" }],
    confirmations: { true: { title: "Thank you" }, gone: { title: "Left over" } },
    processors: [{ name: "Letterbox Ltd", website: "https://letterbox.example" }],
    automatedDecisions: true,
  });
  const contract = await person.make("contracts", { projectId: shop.project, title: "Terms of sale", idRequired: true });
  const published = await person.call("GET", `/v1/publish/publications/${shop.project}`);
  const publication = ((await published.json()) as { publication: string }[])[0]?.publication ?? "";
  const base = `/projects/${shop.project}`;
  const editor = `${base}/widget/${shop.configuration}`;
  const paths = {
    projects: "/",
    "new project": "/projects/new",
    account: "/account",
    keys: "/account/keys",
    "vendor list": "/account/vendor-list",
    ledger: "/account/ledger",
    trash: "/trash",
    organizations: "/organizations",
    organization: `/organizations/${organization.id}`,
    overview: base,
    widget: `${base}/widget`,
    "editor, step": `${editor}?at=step-2`,
    "editor, general": `${editor}?at=general`,
    "editor, words": `${editor}?at=words`,
    "editor, signals": `${editor}?at=signals`,
    "editor, behaviour": `${editor}?at=behaviour`,
    "editor, look": `${editor}?at=look`,
    "editor, partners": `${editor}?at=tcf`,
    "editor, languages": `${editor}?at=languages`,
    boxes: `${base}/boxes`,
    "consent box": `${base}/boxes/consent/${box.id}`,
    "contract box": `${base}/boxes/contract/${contract.id}`,
    services: `${base}/vendors`,
    design: `${base}/design`,
    publish: `${base}/publish`,
    install: `${base}/install`,
    proofs: `${base}/proofs`,
    proof: `${base}/proofs/${consent}`,
    publications: `${base}/proofs/publications`,
    publication: `${base}/proofs/publications/${shop.configuration}/${publication}`,
    report: `${base}/proofs/report`,
    "consents in files": `${base}/proofs/files`,
    settings: `${base}/settings`,
    "trash of a project": `${base}/trash`,
    people: `${base}/people`,
    "audit log": `${base}/people/audit`,
    webhooks: `${base}/webhooks`,
    webhook: `${base}/webhooks/${webhook.id}`,
    missing: "/nothing",
  };
  return { paths, shop, organization: organization.id, box: box.id, contract: contract.id };
}
