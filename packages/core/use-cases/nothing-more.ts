import type { UseCase } from "./use-case.ts";

/** For `auth` and `api`, which ask for nothing beyond what admission does (spec sections 4.5 and 4.8). */
export const nothingMore: UseCase<unknown, void> = { run: async () => {} };
