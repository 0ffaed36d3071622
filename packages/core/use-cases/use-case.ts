import type { Application, Dependencies, User } from "../ports.ts";

/** Who makes an admitted call. */
export interface Caller {
  application: Application;
  /** Present if the endpoint's contract has a `user` as caller. */
  user: User;
  /** Signed in with an app password or an OAuth token, not with the account's password. */
  isApp: boolean;
}

/**
 * The work of one endpoint once the call is admitted.
 *
 * `calls`: the number of calls that it counts against the limits; 1 if undefined.
 *
 * `sync` is defined if the answer has a `since`, to which admission raises the user's clock. `beginsWalk`: the answer
 * is the first of several pages.
 */
export interface UseCase<Input, Result> {
  calls?: (input: Input) => number;
  sync?: (input: Input) => { beginsWalk: boolean };
  begin: (deps: Dependencies, input: Input) => (caller: Caller) => Promise<Result>;
}
