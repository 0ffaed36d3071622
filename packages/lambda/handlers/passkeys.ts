// SPDX-License-Identifier: MIT

import { createApiHandler } from "@reading-list/http/api.ts";
import { createPasswordHasher } from "@reading-list/http/compose/password-hasher.ts";
import { createSignatureKeys } from "@reading-list/http/compose/signature-keys.ts";
import { passkeys as api } from "@reading-list/protocols/passkeys/api.ts";
import { RelyingParty } from "@reading-list/protocols/passkeys/relying-party.ts";
import { createPasskeyStore } from "@reading-list/store-dynamodb/passkeys.ts";
import { composeLiveHandler, liveSettings, liveTable } from "../compose/live.ts";

const { readerUrl: publicUrl, proofSecret } = liveSettings;
if (!publicUrl) throw new Error("this function has no address of the web reader");
const passkeys = createPasskeyStore(liveTable());
const signatureKey = createSignatureKeys(proofSecret);
const relyingParty = new RelyingParty({ passkeys, publicUrl, clock: Date, signatureKey });
const parts = { passwords: createPasswordHasher(), secondFactor: relyingParty };

export const handler = composeLiveHandler(api.contract, parts, (deps, report) =>
  createApiHandler({ ...deps, passkeys, relyingParty }, report, api),
);
