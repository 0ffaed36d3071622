// SPDX-License-Identifier: MIT

/** A file of a destination. */
export interface StoredFile {
  name: string;
  bytes: number;
  /** Unix seconds at which it was written. */
  time: number;
}

/** The bytes of a file. Memory holds only some chunks of it. */
export type Content = ReadableStream<Uint8Array<ArrayBuffer>>;

/** A place for encrypted backups: files, and folders of one level. All throw a SetupError if it cannot be reached. */
export interface Destination {
  /** The address of a file, as `readinglist restore` takes it. */
  toAddress(name: string): string;
  /** The files of a folder, or files outside any folder. */
  list(folder?: string): Promise<StoredFile[]>;
  /** Undefined if there is no such file. */
  read(name: string): Promise<Content | undefined>;
  /** Writes or replaces a file. It appears once it is complete. */
  write(name: string, content: Content): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
}
