// A `go` for tests: it builds programs that print their version.

/** A shell script. */
export const fakeGo = `
case "$1" in
  version) echo go version ;;
  build)
    while [ "$1" != "-o" ]; do shift; done
    output=$2; shift 2
    for package in "$@"; do
      case "$output" in */) file="$output\${package##*/}" ;; *) file="$output" ;; esac
      echo '#!/bin/sh' > "$file"; echo 'echo Kubernetes v1.36.3' >> "$file"; chmod +x "$file"
    done ;;
esac`;
