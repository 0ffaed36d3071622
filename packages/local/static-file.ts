import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";

/** A file that the local service serves beside the API. */
export interface StaticFile {
  contentType: string;
  cacheControl: string;
  securityPolicy: string;
  content: string | Buffer;
}

/** The response with a file. */
export const answerFile = (file: StaticFile): APIGatewayProxyStructuredResultV2 => ({
  statusCode: 200,
  headers: {
    "Content-Type": file.contentType,
    "Cache-Control": file.cacheControl,
    "Content-Security-Policy": file.securityPolicy,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
  },
  body: file.content.toString(Buffer.isBuffer(file.content) ? "base64" : "utf8"),
  isBase64Encoded: Buffer.isBuffer(file.content),
});
