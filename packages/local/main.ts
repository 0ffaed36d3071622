import { SetupError } from "@reading-list/functions/compose/environment.ts";
import { startService } from "./service.ts";

try {
  const { baseUrl, textUrl, apiKey, stop } = await startService(process.env);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, async () => {
      await stop();
      process.exit(0);
    });
  }
  console.log(`reading list at ${baseUrl}\ntext view at ${textUrl}\nAPI key ${apiKey}`);
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  process.exit(1);
}
