#!/bin/sh
# Builds the program for every system it is meant for, without cgo.
set -eu
for os in linux darwin windows; do
	for arch in amd64 arm64; do
		CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -o /dev/null ./cmd/rollbook
		echo "ok  	builds for $os/$arch"
	done
done
