#!/usr/bin/env bash
# Fetches DuckDB's SQLite extension, which no npm package has, into a folder, as sqlite_scanner.duckdb_extension.
set -euo pipefail
version=$(node -p 'require("./package.json").dependencies["@duckdb/node-api"].split("-")[0]')
mkdir -p "$1"
python3 -m pip download --quiet --no-deps --dest "$1" "duckdb-extension-sqlite-scanner==$version"
python3 -m zipfile -e "$1"/*.whl "$1"
mv "$1"/duckdb_extension_sqlite_scanner/extensions/v"$version"/sqlite_scanner.duckdb_extension "$1"
chmod -R a+rX "$1"
