import { migrator } from "@c15t/backend/db/migrator";
import { DB } from "@c15t/backend/db/schema";
import { adapter, kysely } from "./database.mjs";

const migration = await migrator({ db: DB.client(adapter), schema: "latest" });
await migration.execute();
await kysely.destroy();
