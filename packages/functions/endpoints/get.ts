import { get } from "@reading-list/core/contract/get.ts";
import { getList } from "@reading-list/core/use-cases/get-list.ts";
import { defineEndpoint } from "../http/chain.ts";
import { answerFields } from "../http/fields.ts";

export const endpoint = defineEndpoint({
  contract: get,
  useCase: getList,
  present: ({ unchanged, since, isComplete, items, deleted }, { format, tags }) => {
    const fields = {
      status: unchanged ? "2" : "1",
      since: String(since),
      ...(isComplete && { complete: "1" }),
    };
    const list = items.map((item) => ({
      item_id: item.itemId,
      url: item.url,
      title: item.title,
      time_updated: String(item.timeUpdated),
      time_added: String(item.timeAdded),
      ...(tags && { tags: item.tags }),
      state: item.state,
    }));
    const deletions = deleted?.map((item) => ({ item_id: item.itemId, time: String(item.timeUpdated) }));
    return answerFields({ fields, list, ...(deletions && { deleted: deletions }) }, format);
  },
});
