# Builds the bot from this folder: docker build -t marque .
FROM golang:1.26.8@sha256:0f063af2d465d8dcae54cce04278ada488b96f77b42449c8d071e47d016cc65a AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o /out/marque ./cmd/marque

FROM scratch
COPY --from=build /out/marque /marque
COPY LICENSE THIRD_PARTY_NOTICES /
COPY --chown=65532:65532 deploy/container/data /data
ENV MARQUE_DATA=/data/marque MARQUE_BACKUPS=/data/backups MARQUE_METRICS=127.0.0.1:9464 TMPDIR=/data
VOLUME /data
USER 65532:65532
STOPSIGNAL SIGTERM
# Checks only that the bot is alive: an outage of Discord is no reason to restart it.
HEALTHCHECK --interval=30s --timeout=10s --start-period=5m CMD ["/marque", "healthcheck", "--live"]
ENTRYPOINT ["/marque"]
