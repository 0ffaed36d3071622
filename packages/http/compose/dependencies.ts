// SPDX-License-Identifier: MIT

import type { Clock } from "@reading-list/core/ports/clock.ts";
import type { Dependencies, Stores } from "@reading-list/core/ports/dependencies.ts";
import { WholeLists } from "@reading-list/core/use-cases/lists/whole-lists.ts";
import type { Settings } from "@reading-list/settings/settings.ts";
import { LRUCache } from "lru-cache";
import { createPasswordProof } from "./password-proof.ts";
import { createSignatureKeys } from "./signature-keys.ts";

/** Large dependencies: a function's bundle contains them only if its endpoint needs them. */
export type HeavyParts = Pick<
  Dependencies,
  "passwords" | "reader" | "articles" | "searchIndex" | "listIndexer" | "keptPages"
>;

/** Parts that few functions have. */
export type OptionalParts = Pick<
  Dependencies,
  | "pictures"
  | "pictureStore"
  | "pictureWaitMs"
  | "listSearch"
  | "textUrl"
  | "textUrlFor"
  | "administration"
  | "operatorCode"
  | "secondFactor"
>;

const optionalParts: OptionalParts = {
  pictures: undefined,
  pictureStore: undefined,
  pictureWaitMs: 4000,
  listSearch: undefined,
  textUrl: undefined,
  textUrlFor: (calledUrl) => calledUrl,
  administration: undefined,
  operatorCode: undefined,
  secondFactor: undefined,
};

/** The dependencies of every function. */
export type LightParts = Omit<Dependencies, keyof HeavyParts>;

/** Binds the ports of the core to a database and this process. The result has the large `parts` that are given. */
export const createDependencies = <Parts extends Partial<HeavyParts & OptionalParts>>(
  settings: Settings,
  stores: Stores,
  clock: Clock,
  parts: Parts,
  articleWaitMs = 5000,
): LightParts & Parts => ({
  ...optionalParts,
  ...parts,
  ...stores,
  ...settings.service,
  clock,
  defaultLimits: settings.defaultLimits,
  isSignupOpen: settings.service.signup === "open" && !settings.service.isSignOnOnly,
  publicApiKey: settings.publicApiKey,
  publicUrl: settings.publicUrl,
  ownOrigins: settings.ownOrigins,
  unreadablePages: new LRUCache({ max: 10_000, ttl: 3_600_000 }),
  articleWaitMs,
  proofOf: createPasswordProof(settings.proofSecret),
  signatureKey: createSignatureKeys(settings.proofSecret),
  wholeLists: new WholeLists(stores.items),
});
