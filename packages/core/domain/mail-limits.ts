// SPDX-License-Identifier: MIT

/** Mails in a day (UTC). A setting limits the mails of all users together. */
export const mailLimits = {
  /** Mails of one user, those with codes included. */
  ofUser: 20,
  /** Codes to one recipient, and by users of one network address, which no owner of a recipient has entered yet. */
  codesToRecipient: 3,
  codesOfAddress: 30,
  /** Maximum codes that one user can enter. */
  triesOfUser: 20,
};

/** The mailbox of an address by the rules of most providers: without case, dots and a part after a plus sign. */
export function toMailbox(address: string): string {
  const [local = "", domain = ""] = address.toLowerCase().split("@");
  return `${local.replace(/\+.*/, "").replaceAll(".", "")}@${domain}`;
}
