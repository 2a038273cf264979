# docker build -t reaedp . && docker run --rm reaedp                        runs the demo
# docker run --rm -it -v "$PWD:/work" reaedp reaedp release plan.toml …     works on your folder
FROM python:3.13-slim

COPY pyproject.toml README.md LICENSE /source/
COPY src /source/src
RUN python -m pip install --no-cache-dir "/source[postgres,sign]" && rm -r /source \
    && useradd --create-home keeper && install -d -o keeper /work /state

USER keeper
WORKDIR /work
# High-water marks of ledgers must outlive a container: mount a volume here as well.
ENV REAEDP_STATE=/state
VOLUME ["/state"]
CMD ["reaedp", "demo", "/tmp/demo"]
