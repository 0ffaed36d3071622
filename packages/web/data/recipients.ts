// SPDX-License-Identifier: MIT

import { readStoredJson, stateKey, store } from "../kit/browser-storage.ts";
import { postFields } from "./post-fields.ts";
import type { Session } from "./session.ts";

/** An address to which the user sends articles, with the proof that its owner agrees. */
export interface Recipient {
  address: string;
  confirmation: string;
}

const post = <T>({ config, credentials }: Session, path: string, fields: Record<string, string>): Promise<T> =>
  postFields(new URL(`app/mail/${path}`, config.baseUrl).href, { ...credentials, ...fields });

const storageKey = ({ username }: Session) => `${stateKey}.recipients.${username}`;

/** The confirmed addresses of the user on this device; signing out removes them. */
export function readRecipients(session: Session): Recipient[] {
  const stored = readStoredJson<unknown>(storageKey(session), []);
  return Array.isArray(stored) ? stored.filter(({ address, confirmation }) => address && confirmation) : [];
}

export const storeRecipients = (session: Session, recipients: readonly Recipient[]) =>
  store(storageKey(session), JSON.stringify(recipients));

/** Mails a code to an address. Throws `ApiError`. */
export const askForCode = (session: Session, address: string) => post(session, "ask", { to: address });

/** Confirms an address by its code. Throws `ApiError`. */
export async function confirmRecipient(session: Session, address: string, code: string): Promise<Recipient> {
  const { confirmation } = await post<{ confirmation: string }>(session, "confirm", { to: address, code });
  return { address, confirmation };
}

/** Mails the book of a page. Throws `ApiError`. */
export const sendBook = (session: Session, { address, confirmation }: Recipient, url: string) =>
  post(session, "send", { to: address, confirmation, url });
