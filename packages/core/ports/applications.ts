// SPDX-License-Identifier: MIT

import type { Limits } from "../domain/limits.ts";

/** The application behind an API key (docs/api.md 2.2). */
export interface Application {
  id: string;
  name: string;
  status: "enabled" | "disabled";
  limits: Limits;
  /** Anyone can read its key, like the web reader's: each address has a share of its calls. */
  isPublic: boolean;
  /**
   * Its user limit is compared with the user's calls through such applications alone, so that calls of other apps keep
   * nobody out of the reader: a public key whose record has a user limit.
   */
  countsAlone: boolean;
}

export interface ApiKeyStore {
  /** The application of a key; undefined for an unknown key. May be some seconds old. */
  find(apiKey: string): Promise<Application | undefined>;
}

/** Counts calls in windows: the calls of an application, or of one address that uses a public key. */
export interface KeyWindowStore {
  /**
   * Counts `calls` (1 or more) if they are within `limit`, or if no call of the window is used and `limit` is not 0.
   * The result has the number of calls of the window so far.
   */
  countCall(
    id: string,
    windowStart: number,
    limit: number,
    calls: number,
  ): Promise<{ counted: boolean; calls: number }>;
  /** Adds calls, whatever the limit; a negative number undoes calls that this process counted. Returns those so far. */
  addCalls(id: string, windowStart: number, calls: number): Promise<number>;
  /** Returns the number of calls, without counting one. */
  read(id: string, windowStart: number): Promise<number>;
}
