// SPDX-License-Identifier: MIT

import { hash } from "node:crypto";
import { SetupError } from "../errors.ts";
import { canonicalForm, digestToId } from "./canonical-form.ts";

/**
 * The id of the page that a valid URL names, as a decimal string: 53 bits of the SHA-256 of its canonical form. The
 * same for every user.
 */
export const toItemId = (url: string): string => digestToId(hash("sha256", canonicalForm(url), "buffer"));

/** Ids of URLs that versions of Node's URL parser have serialised differently. */
export const idVectors: Readonly<Record<string, string>> = {
  "http://ex.example/a^b": "3116334598653734",
  "http://ex.example/a|b": "7183911522261257",
  "http://ex.example/?q=^`{}": "3977833788943659",
  "http://ex.example/a%5Eb": "3116334598653734",
  "http://faß.example/": "6416274380454530",
  "http://ex.example/a\\b": "1509451890324081",
  "http://ex.example/ä?ö#/ü": "7741179582755891",
  "http://[::FFFF:1.2.3.4]:80/": "7891262357613681",
  "http://0x7f.1/": "5556755392354296",
};

/** Throws a SetupError if this Node's URL parser gives other ids: pages would be saved twice. */
export function checkIds(): void {
  const other = Object.keys(idVectors).find((url) => toItemId(url) !== idVectors[url]);
  if (other === undefined) return;
  throw new SetupError(
    `the URL parser of Node ${process.version} produces item ids that differ from stored ids (${other}); use the version of Node in package.json`,
  );
}
