import type { Application, Dependencies, User } from "../ports.ts";

/** Who makes an admitted call. */
interface Caller {
  application: Application;
  /** Present if the endpoint's contract has a `user` as caller. */
  user: User;
}

/**
 * What one endpoint does, in two steps: `begin` may start reads (see `prefetch`), and the function that it returns does
 * the rest once the call is admitted. Admission decides whether `begin` runs while the call is still being counted,
 * which saves a round trip, so `begin` must not write.
 *
 * `sync` is defined if the answer has a `since`, to which admission raises the user's clock. `beginsWalk`: the answer
 * is the first of several pages.
 */
export interface UseCase<Input, Result> {
  sync?: (input: Input) => { beginsWalk: boolean };
  begin: (deps: Dependencies, input: Input) => (caller: Caller) => Promise<Result>;
}

/** A read started by `begin`. Nobody awaits it if the call is refused: its rejection must not end the process then. */
export function prefetch<T>(read: Promise<T>): Promise<T> {
  read.catch(() => {});
  return read;
}
