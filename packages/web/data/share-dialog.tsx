// SPDX-License-Identifier: MIT

import type { ReadingListClient, Share } from "@reading-list/client/main.ts";
import { useEffect, useState } from "preact/hooks";
import { Dialog } from "../kit/dialog.tsx";
import { explainFailure } from "../kit/explain-failure.ts";
import { dates, laterTexts } from "../kit/later-texts.ts";
import { TaskForm } from "../kit/task-form.tsx";
import { say } from "../kit/texts.ts";
import { useReader } from "./reader.ts";
import type { Session } from "./session.ts";

const text = laterTexts.shares;
const dayMs = 86_400_000;
/** Days for which a link works; 0 for as long as the user wants. */
const durations = [0, 7, 30, 365] as const;

/** Lets the links to a tag show it under its new name. */
export async function moveShares(client: ReadingListClient, from: string, to: string): Promise<void> {
  for (const { id, tag } of await client.shares()) if (tag === from) await client.moveShare(id, to);
}

interface ShareDialogProps {
  target: { url: string } | { tag: string };
  session: Session;
  onClose(): void;
}

/** Makes a public link to an article or a tag, and lists all links of the user. */
export function ShareDialog({ target, session: { client, list }, onClose }: ShareDialogProps) {
  const { notices } = useReader();
  const [shares, setShares] = useState<readonly Share[]>([]);
  const [address, setAddress] = useState<string>();
  const load = async () => setShares(await client.shares());
  const attempt = async (task: () => Promise<void>) => {
    try {
      await task();
    } catch (failure) {
      notices.show(explainFailure(failure, laterTexts.failures.offline));
    }
  };
  useEffect(() => void attempt(load), []);
  const copy = (link: string) =>
    attempt(async () => {
      await navigator.clipboard.writeText(link);
      notices.show(laterTexts.article.copied);
    });
  const nameShare = ({ url, tag }: Share) =>
    tag === undefined ? (list.find(url ?? "")?.title ?? url ?? "") : say(text.tag, { tag });
  return (
    <Dialog title={text.title} onClose={onClose}>
      <TaskForm
        name={text.create}
        run={async (read) => {
          const days = Number(read("days"));
          const ends = days > 0 ? { expiresAt: new Date(Date.now() + days * dayMs) } : {};
          setAddress((await client.share(target, ends)).address);
          await load();
        }}
      >
        <p class="hint">{"tag" in target ? say(text.tagHint, { tag: target.tag }) : text.articleHint}</p>
        <label>
          {text.ends}
          <select name="days">
            {durations.map((days) => (
              <option key={days} value={days}>
                {days === 0 ? text.never : say(text.days, { number: days })}
              </option>
            ))}
          </select>
        </label>
      </TaskForm>
      {address !== undefined && (
        <div class="created" role="status">
          <p>{text.created}</p>
          <p class="actions">
            <a href={address} target="_blank" rel="noopener noreferrer" dir="ltr">
              <code>{address}</code>
            </a>
            <button type="button" onClick={() => copy(address)}>
              {laterTexts.manage.copy}
            </button>
          </p>
        </div>
      )}
      {shares.length > 0 && <h3>{text.all}</h3>}
      <ul class="devices">
        {shares.map((share) => (
          <li key={share.id}>
            <span class="device">
              <strong dir="auto">{nameShare(share)}</strong>
              <small>
                {text.states[share.state]}
                {share.expiresAt && ` · ${say(text.until, { date: dates.format(share.expiresAt) })}`}
              </small>
            </span>
            <span class="buttons">
              {share.state === "unconfirmed" && (
                <button type="button" onClick={() => attempt(async () => client.confirmShares(share.id).then(load))}>
                  {text.confirm}
                </button>
              )}
              {share.state === "open" && (
                <button type="button" onClick={() => copy(share.address)}>
                  {laterTexts.manage.copy}
                </button>
              )}
              <button
                type="button"
                aria-label={say(text.endOf, { name: nameShare(share) })}
                onClick={() => attempt(async () => client.revokeShare(share.id).then(load))}
              >
                {text.end}
              </button>
            </span>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
