// SPDX-License-Identifier: MIT

/** Stands in for Bun's types, which SST's name and which redefine global ones such as `URL`. */
export type Shell = unknown;
