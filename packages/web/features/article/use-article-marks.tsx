// SPDX-License-Identifier: MIT

import { newHighlightId } from "@reading-list/client/main.ts";
import type { Passage } from "@reading-list/core/domain/visible-text.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { MarkDialog } from "../../data/mark-dialog.tsx";
import type { Mark, MarkColor, Marks } from "../../data/marks.ts";
import { useMarkActions } from "../../data/use-marks.ts";
import { type Observable, useObservable } from "../../kit/observable.ts";
import type { Settings } from "../../kit/settings.ts";
import { MarkBar } from "./mark-bar.tsx";
import { MarkList, PageNotes } from "./mark-list.tsx";
import { scrollInFrame } from "./position.ts";
import { type ShownText, useMarkLayer } from "./use-mark-layer.ts";
import { useParagraphs } from "./use-paragraphs.tsx";

interface ArticleMarks {
  /**
   * Marks the selected text, in the color that was used last or in another one; without a selection the paragraph with the
   * marker, whose highlight is removed by the same key and changed by another color.
   */
  mark(color?: MarkColor): void;
  /** Moves the marker to the next or previous paragraph. */
  moveMarker(step: 1 | -1): void;
  /** Opens the form of a note on the page. */
  addNote(): void;
  /** The notes on the page. */
  notes: ComponentChildren;
  /** The marks of the article, for its end. */
  list: ComponentChildren;
  /** The bar at a selection, and the dialog of a mark. */
  tools: ComponentChildren;
}

/** The highlights of an article, both existing ones and new ones. `jumpsTo`: id of a highlight to scroll to. */
export function useArticleMarks(
  url: string,
  allMarks: Marks,
  shownText: ShownText | undefined,
  jumpsTo: string | undefined,
  settings: Observable<Settings>,
): ArticleMarks {
  const { markColor } = useObservable(settings);
  const actions = useMarkActions(allMarks);
  const known = useObservable(allMarks.all);
  const marks = useMemo(() => known?.filter((mark) => mark.url === url) ?? [], [known, url]);
  /** The highlight whose dialog is open; a highlight that is not stored yet is new. */
  const [edited, setEdited] = useState<{ mark: Mark; isNew: boolean }>();
  const edit = (mark: Mark) => setEdited({ mark, isNew: false });
  const layer = useMarkLayer(url, shownText, marks, edit);
  const paragraphs = useParagraphs(shownText);
  const mark = (color?: MarkColor) => {
    const passage = layer.selected?.passage ?? paragraphs.current();
    if (!passage) return;
    const made = layer.createMark(passage, color ?? markColor);
    const isSame = ({ id, quote, position }: Mark) => {
      const place = layer.passages?.get(id);
      return place
        ? place.start === passage.start && place.end === passage.end
        : quote === made.quote && position === made.position;
    };
    const known = layer.selected ? undefined : marks.find(isSame);
    if (known && (color === undefined || color === known.color)) return actions.remove(known);
    settings.value = { ...settings.value, markColor: made.color };
    if (known) actions.change({ ...known, color: made.color });
    else actions.add(made);
    layer.clear();
  };
  const jump = ({ id }: { id: string }) => {
    const passage = layer.passages?.get(id);
    if (passage && shownText) jumpTo(passage, shownText);
  };
  const jumped = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (!jumpsTo || jumped.current === jumpsTo || !layer.passages?.has(jumpsTo)) return;
    jumped.current = jumpsTo;
    jump({ id: jumpsTo });
  }, [jumpsTo, layer.passages]);

  const addNote = () => {
    const about = { quote: "", prefix: "", suffix: "", position: undefined, color: "yellow", note: "" } as const;
    setEdited({ mark: { id: newHighlightId(), url, timeCreated: new Date(), ...about }, isNew: true });
  };

  return {
    mark,
    moveMarker: paragraphs.move,
    addNote,
    notes: <PageNotes marks={marks} onEdit={edit} />,
    list: layer.passages && <MarkList marks={marks} passages={layer.passages} onJump={jump} onEdit={edit} />,
    tools: (
      <>
        {paragraphs.announcement}
        {layer.selected && (
          <MarkBar
            {...layer.selected}
            onMark={mark}
            onNote={() =>
              layer.selected && setEdited({ mark: layer.createMark(layer.selected.passage, markColor), isNew: true })
            }
          />
        )}
        {edited && (
          <MarkDialog
            mark={edited.mark}
            onSave={edited.isNew ? actions.add : actions.change}
            onDelete={edited.isNew ? undefined : () => actions.remove(edited.mark)}
            onClose={() => {
              if (edited.isNew) layer.clear();
              setEdited(undefined);
            }}
          />
        )}
      </>
    ),
  };
}

/** Scrolls a passage to the upper third of the screen, once the frame is as high as its content. */
function jumpTo(passage: Passage, shown: ShownText): void {
  const { content, map, frame, rest } = shown;
  if (!frame.isConnected) return;
  if (frame.clientHeight < Math.floor(content.body.getBoundingClientRect().height)) {
    requestAnimationFrame(() => jumpTo(passage, shown));
    return;
  }
  const { top } = map.toRange(passage)?.getBoundingClientRect() ?? { top: 0 };
  rest();
  scrollInFrame(frame, top, innerHeight / 3);
}
