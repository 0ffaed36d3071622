import { readEnvironment } from "@reading-list/functions/compose/environment.ts";
import * as z from "zod";

const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);

const environment = z.object({
  PORT: port(3000),
  TEXT_PORT: port(3001),
  HOST: z.string().default("127.0.0.1"),
  DATA_DIR: z.string().default(".local"),
  LOCAL_API_KEY: z.string().default("local-dev-key"),
});

export interface LocalSettings {
  /** 0 takes any free port. */
  port: number;
  textPort: number;
  host: string;
  dataDir: string;
  apiKey: string;
}

/** What the environment says of a local service beyond a deployed one. Throws a SetupError that names a faulty variable. */
export function readLocalSettings(env: Record<string, string | undefined>): LocalSettings {
  const { PORT, TEXT_PORT, HOST, DATA_DIR, LOCAL_API_KEY } = readEnvironment(environment, env);
  return { port: PORT, textPort: TEXT_PORT, host: HOST, dataDir: DATA_DIR, apiKey: LOCAL_API_KEY };
}
