.PHONY: run build test lint bench fuzz

run: build        # look at the sample home with the main commands
	scripts/sample.sh

build:
	CGO_ENABLED=0 go build -trimpath -o bin/rollbook ./cmd/rollbook

test: build       # everything that proves the project; installs what it needs
	scripts/tools.sh
	scripts/harness.sh
	go vet ./...
	go test -timeout 30m ./...
	scripts/cross.sh
	scripts/judges.sh

lint:
	test -z "$$(gofmt -l $$(git ls-files '*.go'))"
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

bench:            # figures for docs/performance.md
	scripts/bench.sh

fuzz:             # every fuzz target for FUZZTIME (default 10m)
	scripts/fuzz.sh
