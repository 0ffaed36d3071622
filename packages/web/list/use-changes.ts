import type { Change } from "@reading-list/client/main.ts";
import type { Session } from "../account/session.ts";
import { english } from "../app/english.ts";
import { useReader } from "../app/reader.ts";

/** Changes the list, and shows a notice with "Undo". */
export type ChangeList = (changes: readonly Change[], notice: string, options?: { hold?: number }) => Promise<void>;

export function useChanges(session: Session): ChangeList {
  const { notices } = useReader();
  return async (changes, notice, options) => {
    try {
      const undo = await session.change(changes, options);
      notices.show(notice, { name: english.undo, run: () => undo().then(() => notices.show(english.notices.undone)) });
    } catch {
      // The database of the browser refuses to write, such as on a full disk.
      notices.show(english.notices.failed);
    }
  };
}
