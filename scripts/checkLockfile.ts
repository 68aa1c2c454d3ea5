// Usage: node scripts/checkLockfile.ts
//
// Every package in package-lock.json must have the hash that `npm ci` compares its download with. Reads only that file.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** A package in package-lock.json. */
interface LockedPackage {
  readonly version?: string
  readonly integrity?: string
  readonly link?: boolean
}

/** The parts of package-lock.json that are read. */
export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>
}

/**
 * Platform binaries without a hash: the registry in use did not carry them when the lockfile was last changed. npm
 * installs them unverified. `node scripts/complete-lockfile.mjs --hashes` asks for their hashes; remove those it finds
 * from this list.
 */
const unverified: ReadonlySet<string> = new Set(
  [
    ...["android-arm64", "android-x64", "darwin-arm64", "darwin-x64"].map((on) => `@biomejs/cli-${on}`),
    ...["linux-arm64-musl", "linux-x64-musl", "win32-arm64", "win32-x64"].map((on) => `@biomejs/cli-${on}`),
    ...["darwin-arm64", "darwin-x64", "linux-arm", "win32-x64"].map(
      (platform) => `@msgpackr-extract/msgpackr-extract-${platform}`,
    ),
  ].map((name) => `node_modules/${name}`),
)

/** The problems of a lockfile, one sentence each. */
export const lockfileProblems = (
  { packages }: Lockfile,
  known: ReadonlySet<string> = unverified,
): ReadonlyArray<string> =>
  Object.entries(packages).flatMap(([path, { integrity, link }]) => {
    if (path === "" || link === true) return []
    if (integrity === undefined) {
      return known.has(path)
        ? []
        : [
            `${path} has no integrity: run \`npm install\`, then \`node scripts/complete-lockfile.mjs --hashes\`.`,
          ]
    }
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity))
      return [`${path} has an integrity that is not a sha512.`]
    return known.has(path)
      ? [`${path} has an integrity now: take it off the list of unverified packages.`]
      : []
  })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")
  const problems = lockfileProblems(JSON.parse(text) as Lockfile)
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
