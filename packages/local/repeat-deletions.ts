import { type ArticleStore, type Clock, type DeletionStore, secondsOf } from "@reading-list/core/ports.ts";
import { finishDeletions } from "@reading-list/core/use-cases/delete-user.ts";

const intervalMs = 60_000;

/** Continues the deletions of accounts that were interrupted, now and every minute. Returns the way to stop it. */
export function repeatDeletions(deletion: DeletionStore, articles: ArticleStore, clock: Clock): () => void {
  let isUnderWay = false;
  const finish = async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    // A failure shows in the calls as well; the next round deletes the rest.
    await finishDeletions(deletion, articles, secondsOf(clock)).catch(() => {});
    isUnderWay = false;
  };
  void finish();
  const timer = setInterval(finish, intervalMs).unref();
  // The deletion of a long list is not awaited: it fails when the database is closed, and continues at the next start.
  return () => clearInterval(timer);
}
