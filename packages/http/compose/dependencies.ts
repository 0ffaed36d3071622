import type {
  ArticleStore,
  Clock,
  Dependencies,
  PageReader,
  PasswordHasher,
  Stores,
} from "@reading-list/core/ports.ts";
import { WholeLists } from "@reading-list/core/use-cases/whole-lists.ts";
import type { Settings } from "@reading-list/settings/settings.ts";
import { LRUCache } from "lru-cache";
import { createPasswordProof } from "./password-proof.ts";

/** Large dependencies: a function's bundle contains them only if its endpoint needs them. */
export interface HeavyParts {
  passwords?: PasswordHasher;
  reader?: PageReader;
  articles?: ArticleStore | undefined;
  /** See `Dependencies.articleWaitMs`. */
  articleWaitMs?: number | undefined;
}

/** A part that fails if it is used. */
const absent = (name: string) =>
  new Proxy({}, { get: () => () => Promise.reject(new Error(`this function was composed without ${name}`)) }) as never;

/** Binds the ports of the core to a database and this process. */
export const createDependencies = (
  settings: Settings,
  stores: Stores,
  clock: Clock,
  parts: HeavyParts,
): Dependencies => ({
  ...stores,
  clock,
  defaultLimits: settings.defaultLimits,
  addressLimit: settings.addressLimit,
  windowSeconds: settings.windowSeconds,
  listLimit: settings.listLimit ?? Number.POSITIVE_INFINITY,
  textsAtOnce: settings.textsAtOnce,
  isSignupOpen: settings.signup === "open",
  publicApiKey: settings.publicApiKey,
  ownOrigins: settings.ownOrigins,
  unreadablePages: new LRUCache({ max: 10_000, ttl: 3_600_000 }),
  passwords: parts.passwords ?? absent("passwords"),
  articles: parts.articles ?? absent("articles"),
  articleQuota: settings.articleQuota,
  articleWaitMs: parts.articleWaitMs ?? 5000,
  proofOf: createPasswordProof(settings.proofSecret),
  reader: parts.reader ?? absent("a reader"),
  wholeLists: new WholeLists(stores.items),
});
