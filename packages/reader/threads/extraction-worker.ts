import { serveExtractions } from "./serve-extractions.ts";

serveExtractions();
