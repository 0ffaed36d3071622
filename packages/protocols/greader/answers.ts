// SPDX-License-Identifier: MIT

import type { HttpAnswer } from "@reading-list/http/call.ts";
import { writeJsonObject } from "../json-list.ts";

const json = { "Content-Type": "application/json; charset=utf-8" };

export const answerJson = (value: object): HttpAnswer => ({
  status: 200,
  headers: { ...json },
  body: JSON.stringify(value),
});

/** A JSON object with a list of any length, which `parts` write, as its field `name`, and other fields. */
export const answerList = (name: string, parts: AsyncIterable<string>, fields: object = {}): HttpAnswer => ({
  status: 200,
  headers: { ...json },
  body: "",
  parts: writeJsonObject(fields, name, parts),
});

export const answerText = (body: string): HttpAnswer => ({
  status: 200,
  headers: { "Content-Type": "text/plain; charset=utf-8" },
  body,
});

/** The answer of a change. */
export const answerOk = (): HttpAnswer => answerText("OK");
