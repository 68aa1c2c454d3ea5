import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { type Lockfile, lockfileProblems } from "../../scripts/checkLockfile.ts"

const lock = JSON.parse(readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8")) as Lockfile

/** The lockfile with one package changed. */
const withPackage = (path: string, integrity: string | undefined): Lockfile => {
  const { integrity: _, ...found } = lock.packages[path] ?? {}
  return { packages: { ...lock.packages, [path]: integrity === undefined ? found : { ...found, integrity } } }
}

describe("package-lock.json", () => {
  it("package-lock.json has a hash of every package but those on the list of unverified ones", () => {
    expect(lockfileProblems(lock)).toEqual([])
  })

  it("package-lock.json has a hash of uWebSockets.js' binary for every platform and version of Node", () => {
    const binaries = Object.entries(lock.packages).filter(([path]) =>
      /^node_modules\/@uwsjs\/.+-\d+$/.test(path),
    )
    expect(binaries).toHaveLength(24)
    for (const [, { integrity }] of binaries) expect(integrity).toMatch(/^sha512-/)
  })

  it("a lockfile is refused for a missing or weak hash, and for a hash of a package listed as unverified", () => {
    const binary = "node_modules/@uwsjs/linux-x64-22"
    expect(lockfileProblems(withPackage(binary, undefined))).toEqual([
      expect.stringContaining(`${binary} has no integrity`),
    ])
    expect(lockfileProblems(withPackage("node_modules/effect", "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="))).toEqual(
      ["node_modules/effect has an integrity that is not a sha512."],
    )
    const found = `sha512-${"A".repeat(86)}==`
    expect(lockfileProblems(withPackage("node_modules/@biomejs/cli-darwin-arm64", found))).toEqual([
      expect.stringContaining("take it off the list"),
    ])
  })
})
