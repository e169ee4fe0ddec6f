// Pins the module that carries the schema of SARIF, which test/tools/conformance/reports.ts reads. There is no Go source here.
// To update: `go get github.com/owenrumney/go-sarif/v3@VERSION`.
module rolealerts.dev/test/tools/conformance/reports

go 1.26.0

require github.com/owenrumney/go-sarif/v3 v3.3.1 // indirect
