// SPDX-License-Identifier: MIT

/** zod for the fields of answers, which this service writes itself. */
export { array, enum, int, literal, object, record, string, tuple } from "zod";
