// SPDX-License-Identifier: MIT

import type { ComponentChildren } from "preact";
import type { Findings } from "../../data/use-findings.ts";
import { laterTexts } from "../../kit/later-texts.ts";
import { say } from "../../kit/texts.ts";
import type { BarProps } from "./list-bar.tsx";
import { SaveButton } from "./save-button.tsx";

const text = laterTexts.search;

interface SearchBarProps extends Pick<BarProps, "route" | "saved"> {
  findings: Findings;
  /** The tools of the list. */
  children: ComponentChildren;
}

/** How many pages a search has found, and where it looked; a button that saves the search. */
export function SearchBar({ route, saved, findings, children }: SearchBarProps) {
  return (
    <div class="bar">
      {/* The same element for all states: a screen reader reads what changes in it. */}
      <p class="findings" role="status">
        {findingsText(findings)}
      </p>
      <SaveButton filter={route} saved={saved} />
      {children}
    </div>
  );
}

function findingsText({ items, state, further, fault }: Findings): string {
  const shown = items.length;
  if (fault !== undefined) return text.faults[fault];
  if (state === "answered" && further > 0) return say(text.some, { shown, number: shown + further });
  return say(text.states[state], { number: shown });
}

/** A button that shows the pages that the service has found further. */
export function MoreButton({ findings: { further, state }, onMore }: { findings: Findings; onMore(): void }) {
  if (further === 0) return null;
  return (
    <p class="actions">
      <button type="button" disabled={state === "asking"} onClick={onMore}>
        {text.more}
      </button>
    </p>
  );
}
