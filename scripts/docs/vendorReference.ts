// Usage: node scripts/with-node22.mjs scripts/docs/vendorReference.ts VERSION INTEGRITY
//
// Puts the bundle of @scalar/api-reference into src/http/docs/reference, compressed, as /docs serves it
// (docs/decisions/0080-api-reference.md). INTEGRITY is what `npm view @scalar/api-reference@VERSION dist.integrity`
// prints: a package with another hash is refused.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"

const name = "@scalar/api-reference"
const entry = "package/dist/browser/standalone.js"
const target = fileURLToPath(new URL("../../src/http/docs/reference/", import.meta.url))

const digest = (algorithm: string, bytes: Uint8Array, encoding: "base64" | "hex"): string =>
  createHash(algorithm).update(bytes).digest(encoding)

const vendor = (version: string, integrity: string): void => {
  const folder = mkdtempSync(join(tmpdir(), "corrente-reference-"))
  try {
    const pack = ["pack", "--silent", `${name}@${version}`]
    const packed = execFileSync("npm", pack, { cwd: folder, encoding: "utf8" }).trim()
    const found = `sha512-${digest("sha512", readFileSync(join(folder, packed)), "base64")}`
    if (found !== integrity) throw new Error(`${name}@${version} has the hash ${found}, not ${integrity}`)
    execFileSync("tar", ["xzf", packed, entry], { cwd: folder })
    // Its source map is not served.
    const text = readFileSync(join(folder, entry), "utf8").replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n")
    const bytes = Buffer.from(text)
    const source = { package: name, version, integrity, sha256: digest("sha256", bytes, "hex") }
    writeFileSync(join(target, "api-reference.js.gz"), gzipSync(bytes, { level: 9 }))
    writeFileSync(join(target, "source.json"), `${JSON.stringify(source, null, 2)}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const [version, integrity] = process.argv.slice(2)
if (version === undefined || integrity === undefined) {
  process.stderr.write("Name the version and its integrity\n")
  process.exitCode = 1
} else vendor(version, integrity)
