# An image with Node 24 and npm, on the C library of Debian.
ARG BASE=docker.io/library/node:24-bookworm-slim

# The program runs on every processor: argon2 brings a binary for each. So it is built on the builder's own.
FROM --platform=$BUILDPLATFORM ${BASE} AS build
WORKDIR /source
COPY . .
RUN npm ci --workspace packages/web && node tools/release/main.ts program /opt/reading-list && mkdir /data

FROM ${BASE}
COPY --from=build /opt/reading-list /opt/reading-list
COPY --from=build --chown=1000:1000 --chmod=700 /data /data

WORKDIR /opt/reading-list
USER 1000:1000
ENV DATA_DIR=/data HOST=0.0.0.0
VOLUME /data
EXPOSE 3000 3001
# buildah leaves it out without --format docker.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["/opt/reading-list/deploy/container/start"]
