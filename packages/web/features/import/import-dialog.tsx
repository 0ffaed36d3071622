// SPDX-License-Identifier: MIT

import { useEffect, useState } from "preact/hooks";
import type { Session } from "../../data/session.ts";
import type { ChangeList } from "../../data/use-changes.ts";
import { Dialog } from "../../kit/dialog.tsx";
import { dates, laterTexts } from "../../kit/later-texts.ts";
import { firstTexts, language, say } from "../../kit/texts.ts";
import { findSite } from "../../kit/web-address.ts";
import type { Import } from "./read-import.ts";

const text = laterTexts.import;
/** Pages that are shown before they come. */
const previewed = 6;
/** Problems that are shown one by one. */
const mostProblems = 20;

function pagesAndMarks({ entries, marks }: Import): string {
  const pages = entries.length > 0 || marks.length === 0 ? [say(text.pages, { number: entries.length })] : [];
  const marked = marks.length > 0 ? [say(laterTexts.marks.number, { number: marks.length })] : [];
  return new Intl.ListFormat(language).format([...pages, ...marked]);
}

interface ImportDialogProps {
  file: File;
  session: Session;
  change: ChangeList;
  onClose(): void;
}

/** Words of the formats, which have no translation. */
const InEnglish = ({ children }: { children: string }) => <bdi lang="en">{children}</bdi>;

/** The newest pages that will come. */
function Preview({ entries }: Pick<Import, "entries">) {
  const shown = entries.slice(-previewed).reverse();
  const more = entries.length - shown.length;
  if (entries.length === 0) return null;
  return (
    <ul class="preview">
      {shown.map(({ url, title, tags, timeAdded, state }) => (
        <li key={url} dir="auto">
          {title || url}
          <small>
            {[
              findSite(url),
              ...(timeAdded === undefined ? [] : [dates.format(1000 * timeAdded)]),
              ...(state === "read" ? [firstTexts.list.archived] : []),
              ...(tags ?? []),
            ]
              // First strong isolate: a date in Arabic is not reordered by a title in English.
              .map((fact) => `\u2068${fact}\u2069`)
              .join(" · ")}
          </small>
        </li>
      ))}
      {more > 0 && <li class="hint">{say(text.more, { number: more })}</li>}
    </ul>
  );
}

/** Reads a file, shows how many new pages it has, and adds them to the list. */
export function ImportDialog({ file, session, change, onClose }: ImportDialogProps) {
  const [found, setFound] = useState<Import>();
  const [error, setError] = useState("");
  const [detail, setDetail] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [withFeeds, setWithFeeds] = useState<boolean>();
  useEffect(() => {
    // The formats are loaded for an import, because they are larger than the reader.
    import("./read-import.ts")
      .then(async ({ readImport, FormatError }) => {
        try {
          const { items } = session.list;
          setFound(
            await readImport(file, items.value ?? [], session.marks.all.value ?? [], { withFeeds: withFeeds === true }),
          );
        } catch (failure) {
          setError(text.unreadable);
          if (failure instanceof FormatError) setDetail(failure.message);
        }
      })
      .catch(() => setError(text.offline));
  }, [file, withFeeds]);

  async function add() {
    if (!found) return;
    setBusy(true);
    const { changesToImport: changesOf } = await import("./read-import.ts");
    const { marks } = found;
    await change(changesOf(found), say(text.done, { found: pagesAndMarks(found) }), { marks });
    onClose();
  }

  return (
    <Dialog title={text.title} onClose={onClose}>
      <p class="hint" dir="auto">
        {file.name}
      </p>
      {error ? (
        <p class="error" role="alert">
          {error} <InEnglish>{detail}</InEnglish>
        </p>
      ) : !found ? (
        <p role="status">{text.reading}</p>
      ) : (
        <>
          <p role="status">
            <strong>{say(text.found, { number: found.entries.length })}</strong>
            <br />
            {text.format} <InEnglish>{found.format}</InEnglish>
          </p>
          {(found.feeds > 0 || withFeeds !== undefined) && (
            <label>
              <input
                type="checkbox"
                checked={withFeeds === true}
                onChange={({ currentTarget }) => setWithFeeds(currentTarget.checked)}
              />
              {text.feeds}
            </label>
          )}
          <Preview entries={found.entries} />
          {found.known > 0 && <p>{say(text.known, { number: found.known })}</p>}
          {found.marks.length > 0 && <p>{say(text.marks, { number: found.marks.length })}</p>}
          {found.knownMarks > 0 && <p>{say(text.knownMarks, { number: found.knownMarks })}</p>}
          {found.lostMarks > 0 && <p>{say(text.lostMarks, { number: found.lostMarks })}</p>}
          {found.lost !== "" && (
            <p>
              {text.lost} <InEnglish>{found.lost}</InEnglish>
            </p>
          )}
          {found.problems.length > 0 && (
            <details>
              <summary>{say(text.problems, { number: found.problems.length })}</summary>
              <ul class="problems">
                {found.problems.slice(0, mostProblems).map(({ line, problem }) => (
                  <li key={line}>
                    {say(text.problem, { line })} <InEnglish>{problem}</InEnglish>
                  </li>
                ))}
              </ul>
            </details>
          )}
          <button
            type="button"
            class="primary"
            disabled={isBusy || found.entries.length + found.places.length + found.marks.length === 0}
            onClick={add}
          >
            {isBusy ? laterTexts.account.wait : say(text.add, { found: pagesAndMarks(found) })}
          </button>
        </>
      )}
    </Dialog>
  );
}
