// SPDX-License-Identifier: MIT

/** The reason why a page cannot be fetched: a clause that follows "url", in printable ASCII, without parts of the URL. */
export class FetchError extends Error {
  /** Another try may succeed. */
  readonly isTemporary: boolean;

  constructor(reason: string, { isTemporary = false, ...options }: ErrorOptions & { isTemporary?: boolean } = {}) {
    super(reason, options);
    this.isTemporary = isTemporary;
    this.name = "FetchError";
  }
}
