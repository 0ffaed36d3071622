import { extendDeadline } from "../call-scope.ts";
import { delete_account } from "../contract/delete_account.ts";
import { secondsOf } from "../ports.ts";
import { deleteUser } from "./delete-user.ts";
import { defineEndpoint, type UseCase } from "./use-case.ts";

/** Deletes an account with everything in it (docs/api.md 4.12). */
const deleteAccount: UseCase<unknown, void> = {
  begin:
    ({ clock, deletion, articles }) =>
    async ({ user }) => {
      extendDeadline(27_000);
      await deleteUser(deletion, articles, user, secondsOf(clock));
    },
};

export const endpoint = defineEndpoint({ contract: delete_account, useCase: deleteAccount });
