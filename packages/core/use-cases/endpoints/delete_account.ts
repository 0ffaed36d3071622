// SPDX-License-Identifier: MIT

import { delete_account } from "../../contract/delete_account.ts";
import { wrongCredentials } from "../../errors.ts";
import type { ArticleStore } from "../../ports/articles.ts";
import { unixTime } from "../../ports/clock.ts";
import type { Dependencies } from "../../ports/dependencies.ts";
import { deleteInCall } from "../accounts/delete-user.ts";
import { defineEndpoint, type UseCase } from "../use-case.ts";

type Ports = Pick<Dependencies, "clock" | "deletion"> & { articles: Pick<ArticleStore, "deleteAll"> };

/** Deletes an account with everything in it (docs/api.md 4.12). */
const deleteAccount: UseCase<unknown, void, Ports> = {
  begin:
    ({ clock, deletion, articles }) =>
    async ({ user }) => {
      if (!(await deleteInCall(deletion, articles, user, unixTime(clock)))) throw wrongCredentials();
    },
};

export const endpoint = defineEndpoint({ contract: delete_account, useCase: deleteAccount });
