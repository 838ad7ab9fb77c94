#!/bin/sh
set -eu

systemctl is-enabled docker.socket docker.timer
# SSH answers before the rest of the system is up: this waits for it.
systemctl start docker.socket
docker version
docker info
docker buildx version
docker compose version

# Nothing can be pulled here, so the image is made of the guest's own BusyBox.
work=$(mktemp -d)
cd "$work"
cp /bin/busybox .
cat > Dockerfile <<'END'
FROM scratch
COPY busybox /bin/busybox
ENTRYPOINT ["/bin/busybox"]
END
docker build --tag check .
docker run --rm --network none check echo 'Hello from a container' | grep 'Hello from a container'

echo 'Hello from the bridge' > index.html
cat > compose.yaml <<'END'
services:
  web:
    image: check
    command: httpd -f -h /srv
    ports: ["8080:80"]
    volumes: [".:/srv:ro"]
END
docker compose up --detach
curl -fsS --retry 300 --retry-delay 1 --retry-connrefused http://127.0.0.1:8080/ | grep 'Hello from the bridge'
docker compose down --timeout 1

kubectl version --client
kubectl create deployment web --image check --dry-run=client --output yaml > deployment.yaml
kustomize version
kustomize create --resources deployment.yaml
kustomize build . | grep 'kind: Deployment'
kind version
