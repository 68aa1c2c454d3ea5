// Adds to package-lock.json the optional platform packages that the registry in use does not carry, so that `npm ci`
// accepts the lockfile everywhere. To be run after each `npm install`.
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

const { "": top, ...others } = lock.packages
const sorted = Object.entries(others).sort(([a], [b]) => a.localeCompare(b, "en"))
lock.packages = { "": top, ...Object.fromEntries(sorted) }
writeFileSync("package-lock.json", `${JSON.stringify(lock, null, 2)}\n`)
