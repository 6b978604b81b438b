#!/bin/sh
# Certificates for tests on loopback, for a hundred years. The keys guard nothing.
set -eu
cd "$(dirname "$0")"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj "/CN=Test root" \
  -keyout root.key -out root.pem -addext basicConstraints=critical,CA:TRUE
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=loopback" -keyout key.pem -out server.csr
printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\nbasicConstraints=CA:FALSE\n' > server.ext
openssl x509 -req -in server.csr -CA root.pem -CAkey root.key -CAcreateserial -days 36500 -extfile server.ext -out server.pem
rm -f root.key root.srl server.csr server.ext
