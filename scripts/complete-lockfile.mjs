// Adds to package-lock.json the optional platform packages that `npm install` left out, so that `npm ci` accepts the
// lockfile everywhere. Run it after each `npm install`. With `--hashes` it asks the registry for missing hashes, which
// scripts/checkLockfile.ts lists.
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

const lock = JSON.parse(readFileSync("package-lock.json", "utf8"))
const platform = /(android|darwin|freebsd|linux|win32|openharmony)-(x64|arm64|arm)(.*)$/

for (const [path, entry] of Object.entries({ ...lock.packages })) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`
    const match = platform.exec(name)
    const isKnown = lock.packages[key] !== undefined || lock.packages[`${path}/${key}`] !== undefined
    if (isKnown || match === null || !/^\d+\.\d+\.\d+$/.test(version)) continue
    const [, os, cpu, rest] = match
    lock.packages[key] = {
      version,
      cpu: [cpu],
      ...(entry.dev ? { dev: true } : {}),
      ...(rest === "-musl" ? { libc: ["musl"] } : {}),
      license: entry.license,
      optional: true,
      os: [os],
    }
    console.log(`added ${name}`)
  }
}

/** The registry's hash of a package; undefined if the registry does not carry it. */
const integrityOf = (name, version) => {
  const { stdout } = spawnSync("npm", ["view", `${name}@${version}`, "dist.integrity"], { encoding: "utf8" })
  return /^sha512-\S+$/m.exec(stdout ?? "")?.[0]
}

for (const [path, { version, integrity, link }] of Object.entries(lock.packages)) {
  const isPackage = path.startsWith("node_modules/") && !link
  if (!process.argv.includes("--hashes") || !isPackage || integrity !== undefined) continue
  const found = integrityOf(path.replace(/^.*node_modules\//, ""), version)
  console.log(`${path}: ${found ?? "the registry has none"}`)
  if (found === undefined) continue
  const { version: _, ...rest } = lock.packages[path]
  lock.packages[path] = { version, integrity: found, ...rest }
}

const { "": top, ...others } = lock.packages
const sorted = Object.entries(others).sort(([a], [b]) => a.localeCompare(b, "en"))
lock.packages = { "": top, ...Object.fromEntries(sorted) }
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`)
