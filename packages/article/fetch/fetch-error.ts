// SPDX-License-Identifier: MIT

/** The code that tells a program the reason (docs/api.md 7.2). */
export type PageErrorCode = "page_gone" | "page_refused" | "page_unreadable" | "page_unsupported";

/** The reason why a page cannot be fetched: a clause that follows "url", in printable ASCII, without parts of the URL. */
export class FetchError extends Error {
  /** Another try may succeed. */
  readonly isTemporary: boolean;
  readonly code: PageErrorCode;

  constructor(
    reason: string,
    {
      isTemporary = false,
      code = "page_unreadable",
      ...options
    }: ErrorOptions & { isTemporary?: boolean; code?: PageErrorCode } = {},
  ) {
    super(reason, options);
    this.isTemporary = isTemporary;
    this.code = code;
    this.name = "FetchError";
  }
}
