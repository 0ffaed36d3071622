// SPDX-License-Identifier: MIT

export interface SettingStore {
  /**
   * The text to show while the service is down for maintenance; undefined while it is up. May be seconds old. Throws if
   * this version of the service cannot read the data.
   */
  maintenance(): Promise<string | undefined>;
  /** Throws if the database, or its data, cannot be read. */
  ping(): Promise<void>;
}
