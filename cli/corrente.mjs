#!/usr/bin/env node
// The bin `corrente`: runs cli/main.ts, built, under Node 22, which it sets up first in a fresh clone.
process.argv.splice(2, 0, "dist/corrente.mjs")
await import("../scripts/with-node22.mjs")
