import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import {
  type Lockfile,
  lockfileProblems,
  type Manifest,
  manifestProblems,
} from "../../scripts/checkLockfile.ts"

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), "utf8"))
const lock = read("package-lock.json") as Lockfile
const manifests = { "": read("package.json") as Manifest, test: read("test/package.json") as Manifest }

/** The lockfile with one package changed. */
const withPackage = (path: string, integrity: string | undefined): Lockfile => {
  const { integrity: _, ...found } = lock.packages[path] ?? {}
  return { packages: { ...lock.packages, [path]: integrity === undefined ? found : { ...found, integrity } } }
}

describe("package-lock.json", () => {
  it("package-lock.json has a hash of every package, those for other platforms too", () => {
    expect(lockfileProblems(lock)).toEqual([])
  })

  it("package-lock.json has a hash of uWebSockets.js' binary for every platform and version of Node", () => {
    const binaries = Object.entries(lock.packages).filter(([path]) =>
      /^node_modules\/@uwsjs\/.+-\d+$/.test(path),
    )
    expect(binaries).toHaveLength(24)
    for (const [, { integrity }] of binaries) expect(integrity).toMatch(/^sha512-/)
  })

  it("a lockfile is refused for a missing or weak hash", () => {
    const binary = "node_modules/@uwsjs/linux-x64-22"
    expect(lockfileProblems(withPackage(binary, undefined))).toEqual([
      expect.stringContaining(`${binary} has no integrity`),
    ])
    expect(lockfileProblems(withPackage("node_modules/effect", "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA="))).toEqual(
      ["node_modules/effect has an integrity that is not a sha512."],
    )
  })
})

describe("package.json", () => {
  it("package.json and that of the tests name exact versions", () => {
    for (const manifest of Object.values(manifests)) expect(manifestProblems(manifest)).toEqual([])
  })

  it("package.json and package-lock.json name the same versions", () => {
    const locked = lock.packages as Readonly<Record<string, Manifest>>
    for (const [path, { dependencies, devDependencies }] of Object.entries(manifests))
      expect({ ...locked[path]?.dependencies, ...locked[path]?.devDependencies }).toEqual({
        ...dependencies,
        ...devDependencies,
      })
  })

  it("a package.json is refused for a range, a tag and an address", () => {
    for (const version of [
      "^1.2.3",
      "~1.2.3",
      ">=1.2.3",
      "1.2",
      "1.x",
      "*",
      "latest",
      "npm:other@^1.2.3",
      "github:a/b",
    ]) {
      expect(manifestProblems({ devDependencies: { some: version } }), version).toEqual([
        `some is ${version} in package.json: name one version.`,
      ])
    }
    const exact = { one: "1.2.3", other: "npm:@scope/name@1.2.3", third: "1.2.3-beta.4" }
    expect(manifestProblems({ dependencies: exact })).toEqual([])
  })
})
