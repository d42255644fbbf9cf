# One node for clients on the host: docker build -t minikafka . && docker run -p 19092:19092 minikafka
# MINIKAFKA_DEV_OPTIONS has further options of it; arguments of docker run are another command.
FROM python:3.12-slim
COPY . /src
RUN pip install --no-cache-dir /src && rm -rf /src
ENV XDG_STATE_HOME=/var/lib PYTHONUNBUFFERED=1
VOLUME /var/lib/minikafka
EXPOSE 19092
HEALTHCHECK --interval=5s --start-period=5s CMD ["minikafka", "dev", "status"]
ENTRYPOINT ["sh", "-c", "[ $# != 0 ] || set -- dev --nodes 1 --host 0.0.0.0 --advertised-host localhost $MINIKAFKA_DEV_OPTIONS; exec minikafka \"$@\"", "minikafka"]
