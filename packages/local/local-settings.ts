import { readEnvironment } from "@reading-list/functions/compose/environment.ts";
import * as z from "zod";

const port = (fallback: number) => z.coerce.number().int().min(0).max(65_535).default(fallback);

const environment = z.object({
  PORT: port(3000),
  TEXT_PORT: port(3001),
  HOST: z.string().default("127.0.0.1"),
  DATA_DIR: z.string().default(".local"),
  LOCAL_API_KEY: z.string().default("local-dev-key"),
  // A line for each call, as deployed, is more than a developer at a terminal wants to read.
  POWERTOOLS_LOG_LEVEL: z.enum(["INFO", "ERROR", "SILENT"]).default("ERROR"),
});

export interface LocalSettings {
  /** 0 takes any free port. */
  port: number;
  textPort: number;
  host: string;
  dataDir: string;
  apiKey: string;
  /** INFO logs every call, ERROR those that we failed. */
  logLevel: "INFO" | "ERROR" | "SILENT";
}

/** What the environment says of a local service beyond a deployed one. Throws a SetupError that names a faulty variable. */
export function readLocalSettings(env: Record<string, string | undefined>): LocalSettings {
  const { PORT, TEXT_PORT, HOST, DATA_DIR, LOCAL_API_KEY, POWERTOOLS_LOG_LEVEL } = readEnvironment(environment, env);
  return {
    port: PORT,
    textPort: TEXT_PORT,
    host: HOST,
    dataDir: DATA_DIR,
    apiKey: LOCAL_API_KEY,
    logLevel: POWERTOOLS_LOG_LEVEL,
  };
}
