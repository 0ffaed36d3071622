// SPDX-License-Identifier: MIT

import {
  type AuthorizationPorts,
  grantCode,
  redeemCode,
} from "@reading-list/core/use-cases/accounts/authorize-apps.ts";
import { createSignatureKeys } from "@reading-list/http/compose/signature-keys.ts";
import { Database } from "@reading-list/store-sqlite/database.ts";
import { createStore } from "@reading-list/store-sqlite/store.ts";
import { FakeClock } from "@reading-list/testing/fake-clock.ts";
import { challengeOf, newVerifier } from "@reading-list/testing/oauth-app.ts";
import { permitAt } from "@reading-list/testing/permit-at.ts";
import { expect, onTestFinished, test } from "vitest";

test("a code that is redeemed twice before its sign-in exists leaves no sign-in", async () => {
  const database = Database.open(":memory:");
  onTestFinished(() => database.close());
  const stores = createStore(database, { user: 1000, key: 1000 });
  const clock = new FakeClock();
  const erasePermit = async () => permitAt(clock.seconds());
  const deps: AuthorizationPorts = { ...stores, clock, erasePermit, signatureKey: createSignatureKeys(undefined) };
  await stores.users.create("ann", "hash", 0);
  const user = await stores.users.find("ann");
  if (!user) throw new Error("no such user");
  const verifier = newVerifier();
  const code = await grantCode(deps, { user }, "client", {
    kind: "valid",
    redirectUri: "app:/",
    access: "full",
    audience: "readeck",
    challenge: challengeOf(verifier),
    client: { name: "App", redirectUris: [], uri: "", softwareId: "", softwareVersion: "", issuedAt: 0 },
  });
  const redemption = { kind: "code", code, verifier, address: "https://host/readeck" } as const;
  const signIns: typeof stores.signIns = {
    ...stores.signIns,
    add: async (...given) => {
      expect(await redeemCode(deps, redemption)).toMatchObject({ refusal: { error: "invalid_grant" } });
      return stores.signIns.add(...given);
    },
  };
  const first = await redeemCode({ ...deps, signIns }, redemption);
  expect(first).toMatchObject({ refusal: { error: "invalid_grant" } });
  expect(await stores.signIns.list("ann")).toEqual([]);
});
