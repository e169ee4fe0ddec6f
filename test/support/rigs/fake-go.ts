// A `go` for tests: it counts three packages, of which two are stale, and builds programs that print their version.

/** A shell script; each program of a build is one more line of output. */
export const fakeGo = `
case "$1" in
  version) echo go version ;;
  list) echo "go: downloading example.org/a v1.0.0" >&2; echo cached; echo stale; echo stale ;;
  build)
    while [ "$1" != "-o" ]; do shift; done
    output=$2; shift 2
    echo some/package >&2
    for package in "$@"; do
      case "$output" in */) file="$output\${package##*/}" ;; *) file="$output" ;; esac
      echo '#!/bin/sh' > "$file"; echo 'echo Kubernetes v1.36.3' >> "$file"; chmod +x "$file"
    done ;;
esac`;
