// A Placet with a mail server and an OpenID Connect provider by other authors.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Oracle } from "../support/oracle.ts";
import { type Engine } from "../support/placet.ts";
import { Placet, test as base } from "../support/test.ts";
import { type Person } from "./person.ts";

/** The person whom the provider signs in; `null` for nobody. */
export interface Login {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
}

export class Office {
  private constructor(
    readonly placet: Placet,
    private readonly mail: Oracle,
    private readonly provider: Oracle,
    private readonly folder: string,
  ) {}

  static async open(engine: Engine): Promise<Office> {
    const [mail, provider] = [Oracle.start("smtp.mjs"), Oracle.start("oidc.mjs")];
    const { port } = await mail.next(({ event }) => event === "listening");
    const { issuer } = await provider.next((said) => "issuer" in said);
    const folder = await mkdtemp(join(tmpdir(), "placet-office-"));
    const file = join(folder, "oidc.json");
    const company = { name: "company", title: "Company login", issuer, clientId: "placet" };
    await writeFile(file, JSON.stringify([{ ...company, clientSecret: "a secret that nobody guesses" }]));
    const placet = await Placet.start(engine, [
      ...["--smtp-url", `smtp://127.0.0.1:${port}`],
      ...["--mail-from", "Placet <no-reply@consent.example>"],
      ...["--oidc-file", file],
      ...["--webhook-allow-http", "--outbound-allow", "127.0.0.1"],
    ]);
    provider.tell({ redirect: placet.url });
    await provider.next(({ event }) => event === "ready");
    return new Office(placet, mail, provider, folder);
  }

  /** The link of the next letter to an address with this text in its subject. */
  async link(to: string, subject: string): Promise<string> {
    const letter = await this.mail.next(
      (said) => said.event === "letter" && said.to === to && String(said.subject).includes(subject),
    );
    const link = /https?:\/\/\S+token=\S+/.exec(String(letter.text))?.[0];
    if (!link) throw new Error(`no link in ${String(letter.text)}`);
    return link;
  }

  /** Proves the address of a person by the link of the letter. */
  async verify(person: Person): Promise<void> {
    const link = await this.link(person.email, "Confirm your e-mail address");
    const token = new URL(link).searchParams.get("token");
    const answer = await person.call("POST", "/v1/auth/local/verify", { token });
    if (answer.status !== 204) throw new Error(`not verified: ${await answer.text()}`);
  }

  /** Tells the provider which person to sign in. */
  async signsIn(user: Login | null): Promise<void> {
    this.provider.tell({ user });
    await this.provider.next(({ event }) => event === "user");
  }

  async close(): Promise<void> {
    await this.placet.stop();
    await Promise.all([this.mail.stop(), this.provider.stop()]);
    await rm(this.folder, { recursive: true, force: true });
  }
}

interface PerTest {
  office: Office;
}

interface PerWorker {
  offices: (engine: Engine) => Promise<Office>;
}

export const test = base.extend<PerTest, PerWorker>({
  offices: [
    async ({}, use) => {
      const open = new Map<Engine, Promise<Office>>();
      await use((engine) => {
        const office = open.get(engine) ?? Office.open(engine);
        open.set(engine, office);
        return office;
      });
      for (const office of open.values()) await (await office).close();
    },
    { scope: "worker" },
  ],
  office: async ({ offices, engine }, use) => {
    await use(await offices(engine));
  },
});
