// SPDX-License-Identifier: MIT

import { fork } from "node:child_process";
import { once } from "node:events";
import type { Subject } from "@reading-list/testing/table-text.ts";
import type { SoakedService } from "./soaked-service.ts";

/** An attack in a process of its own, so that its work does not delay the clients of the soak. */
export interface Attack {
  /** Ends it; returns the number of its calls by kind and status. */
  stop(): Promise<Subject>;
}

interface Target extends Pick<SoakedService, "baseUrl" | "textUrl" | "apiKey"> {
  /** URL of a page that takes seconds. */
  slowPage: string;
  /** URL of a page that begins with many comments. */
  commentsPage: string;
  /** The user whose browser shows a page of the attacker. */
  victim: string;
}

/** Starts an attack on a service. */
export function startAttack({ baseUrl, textUrl, apiKey, slowPage, victim, commentsPage }: Target): Attack {
  const child = fork("tools/soak/attacker.ts", [baseUrl, textUrl, apiKey, slowPage, victim, commentsPage]);
  const end = () => child.kill("SIGKILL");
  process.once("exit", end);
  return {
    stop: async () => {
      child.send("stop");
      const [answers] = (await once(child, "message")) as [Record<string, number>];
      end();
      const rows = Object.entries(answers).map(([call, calls]) => ({ call, calls }));
      return { title: "Calls of the attacker", notes: ["By kind and status."], rows: rows.sort(byCall) };
    },
  };
}

const byCall = (a: { call: string }, b: { call: string }) => (a.call < b.call ? -1 : 1);
