// A person with an account, by the API and in the browser.

import { randomUUID } from "node:crypto";
import { type BrowserContext, type Page } from "@playwright/test";
import { expect, type Placet } from "../support/test.ts";

export interface Stored {
  readonly id: string;
  readonly data: Record<string, unknown>;
}

/**
 * Presses the button of the page "Publish" and waits for the end. Compression takes a while in unoptimised
 * builds.
 */
export async function publishes(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Publish changes" }).click();
  await expect(page.getByText("Published. Pages with the snippet now show it.")).toBeVisible();
}

export class Person {
  private constructor(
    readonly placet: Placet,
    readonly username: string,
    readonly password: string,
    readonly token: string,
  ) {}

  /** Makes an account by the API. */
  static async join(placet: Placet): Promise<Person> {
    const username = `p${randomUUID().replaceAll("-", "").slice(0, 12)}`;
    const password = "correct horse battery";
    const answer = await fetch(`${placet.url}/v1/auth/local/signup`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        displayName: "Ada Lovelace",
        username,
        email: `${username}@shop.example`,
        password,
      }),
    });
    expect(answer.status).toBe(201);
    const { token } = (await answer.json()) as { token: string };
    return new Person(placet, username, password, token);
  }

  /** Makes an account by the form, and stays signed in. */
  static async signUp(placet: Placet, page: Page): Promise<Person> {
    await open(page, `${placet.url}/sign-up`);
    const username = `p${randomUUID().slice(0, 8)}`;
    const password = "correct horse battery";
    await page.getByLabel("Your name").fill("Ada Lovelace");
    await page.getByLabel("Username").fill(username);
    await page.getByLabel("E-mail").fill(`${username}@shop.example`);
    await page.getByLabel("Password", { exact: true }).fill(password);
    await page.getByRole("button", { name: "Create account" }).click();
    // A refusal is told in the failure.
    await expect.poll(async () => [page.url(), ...(await page.getByRole("alert").allTextContents().catch(() => []))]).toEqual([`${placet.url}/`]);
    await alive(page);
    const session = (await page.context().cookies()).find(({ name }) => name === "placet_session");
    return new Person(placet, username, password, session?.value ?? "");
  }

  /** Makes an account with a verified address by the command line. */
  static async verified(placet: Placet, username: string): Promise<Person> {
    const password = "correct horse battery";
    const email = `${username}@shop.example`;
    await placet.run(["user", "create", username, "--email", email, "--email-verified", "--password-file", "-"], password);
    const answer = await fetch(`${placet.url}/v1/auth/local/signin`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username, password }),
    });
    expect(answer.status).toBe(200);
    const { token } = (await answer.json()) as { token: string };
    return new Person(placet, username, password, token);
  }

  get email(): string {
    return `${this.username}@shop.example`;
  }

  /** Gives the browser this person's session: the cookie contains the API's token. */
  async enter(context: BrowserContext): Promise<void> {
    await context.addCookies([
      { name: "placet_session", value: this.token, url: this.placet.url, httpOnly: true, sameSite: "Lax" },
    ]);
  }

  /** Calls the API. */
  async call(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(this.placet.url + path, {
      method,
      headers: { authorization: `Bearer ${this.token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** Makes an API key. */
  async key(name: string): Promise<{ works: () => Promise<boolean> }> {
    const answer = await this.call("POST", "/v1/auth/keys", { name, scopes: ["read"] });
    expect(answer.status).toBe(201);
    const { secret } = (await answer.json()) as { secret: string };
    const headers = { authorization: `Bearer ${secret}` };
    return { works: async () => (await fetch(`${this.placet.url}/v1/vault/projects`, { headers })).ok };
  }

  async make(collection: string, data: Record<string, unknown>): Promise<Stored> {
    const answer = await this.call("POST", `/v1/vault/${collection}`, data);
    expect(answer.status, await answer.clone().text()).toBe(201);
    return (await answer.json()) as Stored;
  }

  async read(collection: string, id: string): Promise<Stored> {
    return (await (await this.call("GET", `/v1/vault/${collection}/${id}`)).json()) as Stored;
  }

  /** A project with a custom vendor and a configuration that uses it. */
  async shop(site = "https://shop.example"): Promise<Shop> {
    const project = await this.make("projects", { title: "Corner shop", websiteURL: site });
    const vendor = await this.make("vendors", {
      projectId: project.id,
      name: "our_chat",
      title: "Our chat",
      shortDescription: "Lets visitors talk to us.",
      categories: ["customer-support"],
    });
    const configuration = await this.make("cookies", {
      projectId: project.id,
      name: "en",
      title: "English",
      language: "en",
      privacyPolicyUrl: "https://shop.example/policy",
      steps: [
        { name: "welcome", layout: "welcome", title: "Your privacy", message: "You decide. You can change your mind at any time." },
        { name: "services", layout: "category", title: "Our services", vendors: [vendor.id] },
      ],
    });
    return { project: project.id, configuration: configuration.id, vendor: vendor.id };
  }

  /** Publishes, with a note if there is one, and polls until the job ends. */
  async publish(project: string, reason?: string): Promise<void> {
    const started = await this.call("POST", `/v1/publish/jobs/${project}`, reason && { reason });
    let job = (await started.json()) as { status: string; links: { self: string } };
    await expect
      .poll(async () => {
        job = (await (await this.call("GET", new URL(job.links.self).pathname)).json()) as typeof job;
        return job.status;
      })
      .not.toBe("started");
    expect(job.status, JSON.stringify(job)).toBe("complete");
  }

  /** Posts a visitor's choice. */
  async consent(shop: Shop, token: string, choices: Record<string, boolean>, action?: "close"): Promise<string> {
    return (await this.answered(shop, token, choices, { action })).consentId;
  }

  /** The same, and everything that the visitor is told. With `receipt` that includes a promise. */
  async answered(
    shop: Shop,
    token: string,
    choices: Record<string, boolean>,
    { action, receipt }: { action?: "close" | undefined; receipt?: boolean },
  ): Promise<{ consentId: string; receipt: { promise?: object } }> {
    const accept = Object.values(choices).every(Boolean);
    const path = `/v1/app/consents/${shop.project}/cookies/${shop.configuration}`;
    const pointer = (await (await fetch(`${this.placet.url}/cdn/${shop.project}.json`)).json()) as {
      publications: Record<string, string>;
    };
    const answer = await fetch(this.placet.url + path, {
      method: "POST",
      headers: { "content-type": "application/json", origin: "https://shop.example" },
      body: JSON.stringify({
        accept,
        token,
        receipt,
        publication: pointer.publications[shop.configuration],
        preferences: { vendors: choices, config: { identifier: shop.configuration, name: "en", language: "en" }, action },
      }),
    });
    expect(answer.status, await answer.clone().text()).toBe(201);
    return (await answer.json()) as { consentId: string; receipt: { promise?: object } };
  }
}

export interface Shop {
  readonly project: string;
  readonly configuration: string;
  readonly vendor: string;
}

/** Opens a page and waits until it is alive. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await alive(page);
}

export async function alive(page: Page): Promise<void> {
  await page.locator("html[data-alive]").waitFor();
}

/** Holds back the next call of an address until the returned function is called. */
export async function hold(page: Page, address: string): Promise<() => void> {
  let go!: () => void;
  const held = new Promise<void>((resolve) => (go = resolve));
  await page.route(address, (route) => held.then(() => route.continue()), { times: 1 });
  return go;
}

/** Another person, with this role on a project. */
export async function member(owner: Person, project: string, role: string): Promise<Person> {
  const person = await Person.join(owner.placet);
  const { id } = (await (await person.call("GET", "/v1/auth/me")).json()) as { id: string };
  expect((await owner.call("POST", `/v1/vault/projects/${project}/users`, { userId: id, role })).ok).toBe(true);
  return person;
}
