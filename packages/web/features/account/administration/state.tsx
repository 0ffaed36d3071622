// SPDX-License-Identifier: MIT

import { formatBytes } from "../../../kit/format-bytes.ts";
import { laterTexts, times } from "../../../kit/later-texts.ts";
import { say } from "../../../kit/texts.ts";
import { type Ask, parseDate, Section, useAnswer } from "./section.tsx";

const text = laterTexts.operator;

export function State({ ask }: { ask: Ask }) {
  const { answer, failure } = useAnswer(ask, "state");
  const { version = "", node = "", items, articles, ...sizes } = answer?.fields ?? {};
  return (
    <Section title={text.service} failure={failure}>
      {answer && (
        <>
          <p>{say(text.versions, { version, node })}</p>
          <p>
            {say(text.stored, {
              items: Number(items),
              articles: Number(articles),
              bytes: formatBytes(Number(sizes.database_bytes)),
            })}
          </p>
          {sizes.disk_full === "1" && (
            <p role="alert">{say(text.diskFull, { bytes: formatBytes(Number(sizes.disk_free_bytes)) })}</p>
          )}
          <p>
            {sizes.time_backup === "0"
              ? text.neverBackedUp
              : say(text.lastBackup, { time: times.format(parseDate(sizes.time_backup)) })}
          </p>
        </>
      )}
    </Section>
  );
}
