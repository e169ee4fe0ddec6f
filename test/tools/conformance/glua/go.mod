// Pins glua, the interpreter of Lua that Argo CD has, which test/tools/conformance/gitops.ts builds. There is no Go source here.
// To update: `go get -tool github.com/yuin/gopher-lua/cmd/glua@VERSION`.
module rolealerts.dev/test/tools/conformance/glua

go 1.26.0

tool github.com/yuin/gopher-lua/cmd/glua

require (
	github.com/chzyer/readline v0.0.0-20180603132655-2972be24d48e // indirect
	github.com/yuin/gopher-lua v1.1.2 // indirect
	golang.org/x/sys v0.0.0-20190204203706-41f3e6584952 // indirect
)
