// SPDX-License-Identifier: MIT

/** Objects by name, such as in an S3 bucket. A write replaces an object as a whole. */
export interface ObjectStore {
  get(name: string): Promise<Uint8Array | undefined>;
  put(name: string, content: Uint8Array): Promise<void>;
  /** Of one folder; idempotent. */
  delete(names: readonly string[]): Promise<void>;
  /** Deletes all objects whose names begin with `prefix`. */
  deleteAll(prefix: string): Promise<void>;
}
