import { signup } from "@reading-list/core/contract/signup.ts";
import { registerUser } from "@reading-list/core/use-cases/register-user.ts";
import { answerInWords } from "../http/answer.ts";
import { defineEndpoint } from "../http/chain.ts";

export default defineEndpoint({ contract: signup, useCase: registerUser, present: () => answerInWords(200) });
