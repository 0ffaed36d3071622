import { add } from "@reading-list/core/contract/add.ts";
import { addPage } from "@reading-list/core/use-cases/add-page.ts";
import { answerInWords } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export default defineEndpoint({ contract: add, useCase: addPage, present: () => answerInWords(200) });
