// SPDX-License-Identifier: MIT

/** The reason why a page cannot be fetched: a clause that follows "url", in printable ASCII, without parts of the URL. */
export class FetchError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "FetchError";
  }
}
