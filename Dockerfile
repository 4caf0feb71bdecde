FROM python:3.13-slim AS build
COPY . /src
RUN python -m venv /opt/ctx && /opt/ctx/bin/pip install --no-cache-dir "/src[mcp,embed]"

FROM python:3.13-slim
RUN apt-get update && apt-get install --yes --no-install-recommends git && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/ctx /opt/ctx
ENV PATH=/opt/ctx/bin:$PATH CTX_CACHE_DIR=/tmp/ctx/cache CTX_STATE_DIR=/tmp/ctx/state
RUN useradd --create-home --uid 10001 ctx && git config --system --add safe.directory /project
USER ctx
WORKDIR /project
ENTRYPOINT ["ctx"]
