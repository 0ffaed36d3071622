import type { UseCase } from "./use-case.ts";

/** For `auth` and `api`: admission does all that they need (docs/api.md 4.5 and 4.8). */
export const noOperation: UseCase<unknown, void> = { begin: () => async () => {} };
