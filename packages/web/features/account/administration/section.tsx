// SPDX-License-Identifier: MIT

import type { OperatorAnswer, OperatorEndpoint } from "@reading-list/client/main.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { explainFailure } from "../../../kit/explain-failure.ts";

/** The parts of a section of the administration. */

export const parseDate = (seconds = "0") => new Date(Number(seconds) * 1000);

export type Ask = (endpoint: OperatorEndpoint, parameters?: Record<string, string>) => Promise<OperatorAnswer>;

export interface SectionProps {
  ask: Ask;
  /** Runs a step that a button begins, and shows why it failed. */
  attempt(task: () => Promise<unknown>): Promise<unknown>;
}

/** The answer of an endpoint, and a function that asks for it again, as a new number of `changes` also does. */
export function useAnswer(ask: Ask, endpoint: OperatorEndpoint, parameters?: Record<string, string>, changes = 0) {
  const [answer, setAnswer] = useState<OperatorAnswer>();
  const [failure, setFailure] = useState("");
  const [turn, setTurn] = useState(0);
  const key = JSON.stringify(parameters);
  useEffect(() => {
    let isOutdated = false;
    ask(endpoint, parameters).then(
      (found) => isOutdated || setAnswer(found),
      (error) => isOutdated || setFailure(explainFailure(error)),
    );
    return () => {
      isOutdated = true;
    };
  }, [key, turn, changes]);
  return { answer, failure, setAnswer, reload: () => setTurn(turn + 1) };
}

/** Milliseconds after which work under way is asked about again. */
const askAgainMs = 2000;

/** Asks again while work is under way: after each answer. */
export function useRepeated(isRunning: boolean, reload: () => void, answer: OperatorAnswer | undefined): void {
  useEffect(() => {
    if (!isRunning) return;
    const timer = setTimeout(reload, askAgainMs);
    return () => clearTimeout(timer);
  }, [answer]);
}

export function Section({ title, failure, children }: { title: string; failure: string; children: ComponentChildren }) {
  return (
    <section class="administered">
      <h2>{title}</h2>
      {failure && (
        <p class="error" role="alert">
          {failure}
        </p>
      )}
      {children}
    </section>
  );
}

interface EntryProps {
  name: string;
  facts: string;
  /** The language of the facts if it is not the reader's. */
  lang?: string;
  children: ComponentChildren;
}

/** An entry of a list, with its buttons. */
export const Entry = ({ name, facts, lang, children }: EntryProps) => (
  <li>
    <span class="device">
      <strong>{name}</strong>
      <small lang={lang} dir={lang === undefined ? undefined : "auto"}>
        {facts}
      </small>
    </span>
    <span class="buttons">{children}</span>
  </li>
);
