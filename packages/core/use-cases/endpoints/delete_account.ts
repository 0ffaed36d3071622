// SPDX-License-Identifier: MIT

import { extendDeadline } from "../../call-scope.ts";
import { delete_account } from "../../contract/delete_account.ts";
import { wrongCredentials } from "../../errors.ts";
import { type ArticleStore, type Dependencies, secondsOf } from "../../ports.ts";
import { deleteClosedUser } from "../accounts/delete-user.ts";
import { defineEndpoint, type UseCase } from "../use-case.ts";

/** Milliseconds after which the deletion of a large list is left to `finishDeletions`. */
const deadlineMs = 20_000;

type Ports = Pick<Dependencies, "clock" | "deletion"> & { articles: Pick<ArticleStore, "deleteAll"> };

/** Deletes an account with everything in it (docs/api.md 4.12). */
const deleteAccount: UseCase<unknown, void, Ports> = {
  begin:
    ({ clock, deletion, articles }) =>
    async ({ user }) => {
      extendDeadline(deadlineMs);
      const now = secondsOf(clock);
      if (!(await deletion.beginDeletion(user, now))) throw wrongCredentials();
      // The account is closed. `finishDeletions` deletes the rest, and reports what fails again.
      await deleteClosedUser(deletion, articles, user, now).catch(() => {});
    },
};

export const endpoint = defineEndpoint({ contract: delete_account, useCase: deleteAccount });
