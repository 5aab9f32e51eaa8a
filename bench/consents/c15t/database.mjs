// From c15t's own quickstart: Kysely over node-postgres with its default pool.
import { kyselyAdapter } from "@c15t/backend/db/adapters/kysely";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
export const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) });
export const adapter = kyselyAdapter({ provider: "postgresql", db: kysely });
