import type { Change, LocalItem } from "@reading-list/client/main.ts";
import type { Observable } from "../app/observable.ts";
import type { Settings } from "../app/settings.ts";
import type { Texts } from "../offline/texts.ts";

export interface ArticleViewProps {
  item: LocalItem;
  /** The cached texts, and those of the service. */
  texts: Texts;
  settings: Observable<Settings>;
  /** Queues changes of the list, such as `{ kind: "read", url }`, and shows a notice with "Undo". */
  onChange(changes: Change[]): void;
  /** Returns to the list. */
  onClose(): void;
}

/** The text of a page. */
export function ArticleView({ item, onClose }: ArticleViewProps) {
  return (
    <main>
      <h1 dir="auto">{item.title}</h1>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </main>
  );
}
