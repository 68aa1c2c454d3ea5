// Usage: npm run examples:requests
//
// Writes examples/corrente.http and the collection examples/bruno from the contract.
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { brunoFiles } from "./brunoFiles.ts"
import { httpFile } from "./httpFile.ts"
import { merchantRequests } from "./merchantRequests.ts"

const folder = new URL("../../examples/", import.meta.url)
const requests = merchantRequests()

writeFileSync(new URL("corrente.http", folder), httpFile(requests))
rmSync(new URL("bruno/", folder), { recursive: true, force: true })
for (const [path, text] of brunoFiles(requests)) {
  const file = new URL(`bruno/${path}`, folder)
  mkdirSync(dirname(file.pathname), { recursive: true })
  writeFileSync(file, text)
}
