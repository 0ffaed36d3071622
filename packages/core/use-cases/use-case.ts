import type { Application, Dependencies, User } from "../ports.ts";

/** A call that passed every check: what is asked for, through which application, for whom. */
interface Call<Input, Ahead = unknown> {
  input: Input;
  application: Application;
  /** Present where the endpoint's contract has a `user` as caller. */
  user: User;
  ahead: Ahead;
}

/**
 * What one endpoint does once its call is admitted.
 *
 * `readAhead` starts while the call is still being admitted, to save a round trip, so it only reads.
 * `sync` is there where the answer carries a `since`, to which admission then raises the user's clock; `walkOf` is the
 * application where the first of several pages is asked for.
 */
export interface UseCase<Input, Result, Ahead = undefined> {
  readAhead?: (deps: Dependencies, input: Input) => Promise<Ahead>;
  sync?: (input: Input, application: Application) => { walkOf: string | undefined };
  run: (deps: Dependencies, call: Call<Input, Ahead>) => Promise<Result>;
}
