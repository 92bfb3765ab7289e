set -e
[ ! -d toolchain ] || export PATH="$PWD/toolchain/bin:$PATH"
export GOFLAGS=-mod=mod GOPROXY=off GOTOOLCHAIN=local GOCACHE="$PWD/cache"
mkdir app && cd app
go mod init example.com/app
printf 'package main\n\nimport "fmt"\n\nfunc add(a, b int) int { return a + b }\n\nfunc main() { fmt.Println(add(1, 2)) }\n' > main.go
printf 'package main\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif add(1, 2) != 3 {\n\t\tt.Fail()\n\t}\n}\n' > main_test.go
go build -o app . && test "$(./app)" = 3
go test ./...
