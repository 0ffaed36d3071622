import { stats } from "@reading-list/core/contract/stats.ts";
import { countList } from "@reading-list/core/use-cases/count-list.ts";
import { defineEndpoint } from "../http/chain.ts";
import { answerFields } from "../http/fields.ts";

export const endpoint = defineEndpoint({
  contract: stats,
  useCase: countList,
  present: ({ userSince, unread, read }, { format }) => {
    const fields = {
      user_since: String(userSince),
      count_list: String(unread + read),
      count_unread: String(unread),
      count_read: String(read),
    };
    return answerFields({ fields }, format);
  },
});
