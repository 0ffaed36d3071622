import { send } from "@reading-list/core/contract/send.ts";
import { sendChanges } from "@reading-list/core/use-cases/send-changes.ts";
import { answerInWords } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export default defineEndpoint({ contract: send, useCase: sendChanges, present: () => answerInWords(200) });
