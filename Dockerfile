# An image with Node 24 and npm, on the C library of Debian.
ARG BASE=docker.io/library/node:24-bookworm-slim
FROM ${BASE}

WORKDIR /opt/reading-list
COPY package.json package-lock.json tsconfig.base.json ./
COPY tools/dynamodb tools/dynamodb
COPY docs/openapi.json docs/
COPY packages packages
RUN npm ci --omit=dev && npm cache clean --force \
  && mkdir --mode=700 /data && chown 1000:1000 /data

USER 1000:1000
ENV DATA_DIR=/data HOST=0.0.0.0
VOLUME /data
EXPOSE 3000 3001
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--import", "./packages/local/require-node.js", "packages/local/main.ts"]
