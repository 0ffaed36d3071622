// SPDX-License-Identifier: MIT

import { createHmac } from "node:crypto";
import type { SignatureKey } from "../ports/sign-ins.ts";
import { isSignature, signText } from "./signed-text.ts";

/**
 * An address to which a user may have articles mailed. Nothing is stored: the code that is mailed to it, and the
 * confirmation that the user's device keeps, are signatures of both.
 */
export interface MailRecipient {
  userId: string;
  address: string;
}

/** Seconds for which codes are the same; one holds until the end of the next such time. */
const codeSeconds = 3600;

const writeRecipient = ({ userId, address }: MailRecipient, ...more: number[]) =>
  JSON.stringify([userId, address, ...more]);

function codeAt(key: SignatureKey, recipient: MailRecipient, hour: number): string {
  const digest = createHmac("sha256", key("mail code")).update(writeRecipient(recipient, hour)).digest();
  return String(digest.readUIntBE(0, 6) % 100_000_000).padStart(8, "0");
}

/** The 8 digits that are mailed to an address. */
export const createMailCode = (key: SignatureKey, recipient: MailRecipient, now: number): string =>
  codeAt(key, recipient, Math.floor(now / codeSeconds));

/** Whether a user has typed the code of this hour or the last one. */
export function isMailCode(key: SignatureKey, recipient: MailRecipient, typed: string, now: number): boolean {
  const hour = Math.floor(now / codeSeconds);
  const digits = typed.replaceAll(/\D/g, "");
  return [hour, hour - 1].some((each) => codeAt(key, recipient, each) === digits);
}

/** The confirmation of an address for a user. */
export const signRecipient = (key: SignatureKey, recipient: MailRecipient): string =>
  signText(key("mail recipient"), writeRecipient(recipient));

export const isConfirmation = (key: SignatureKey, recipient: MailRecipient, confirmation: string): boolean =>
  isSignature(key("mail recipient"), writeRecipient(recipient), confirmation);
