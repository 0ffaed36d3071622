// SPDX-License-Identifier: MIT

import { dates, laterTexts } from "../../../kit/later-texts.ts";
import { say } from "../../../kit/texts.ts";
import { Entry, parseDate, Section, type SectionProps, useAnswer } from "./section.tsx";

const { operator: text, shares } = laterTexts;

/** The public links of all users. */
export function Shares({ ask, attempt }: SectionProps) {
  const { answer, failure, reload } = useAnswer(ask, "shares");
  return (
    <Section title={text.shares} failure={failure}>
      {answer?.list.length === 0 && <p class="hint">{text.noShares}</p>}
      <ul class="devices">
        {answer?.list.map(({ id = "", username = "", url, tag, time_created }) => {
          const name = tag ? say(shares.tag, { tag }) : url || text.deletedPage;
          return (
            <Entry
              key={id}
              name={name}
              facts={[username, say(text.since, { date: dates.format(parseDate(time_created)) })].join(" · ")}
            >
              <button
                type="button"
                aria-label={say(shares.endOf, { name })}
                onClick={() => attempt(() => ask("shares", { revoke: id, user: username })).then(reload)}
              >
                {shares.end}
              </button>
            </Entry>
          );
        })}
      </ul>
    </Section>
  );
}
