import { serveExtractions } from "./serve-extractions.ts";

await serveExtractions();
