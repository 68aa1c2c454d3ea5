// Usage: node scripts/checkLockfile.ts
//
// Every package in package-lock.json must have the hash that `npm ci` compares its download with, those for other
// platforms too, and package.json, also that of test/, must name exact versions. Reads only these files.
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

/** The parts of package.json that are read. */
export interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The problems of a lockfile, one sentence each. */
export const lockfileProblems = ({ packages }: Lockfile): ReadonlyArray<string> =>
  Object.entries(packages).flatMap(([path, { integrity, link }]) => {
    // The root and the workspaces are folders of the repository.
    if (!path.startsWith("node_modules/") || link === true) return []
    if (integrity === undefined) {
      return [
        `${path} has no integrity: run \`npm install\`, then \`node scripts/complete-lockfile.mjs --hashes\`.`,
      ]
    }
    return /^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity)
      ? []
      : [`${path} has an integrity that is not a sha512.`]
  })

/** `1.2.3`, also of a package under another name: `npm:@scope/name@1.2.3`. */
const exactVersion = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.-]+)?$/

/** The problems of a package.json, one sentence each: what `npm install` would choose a version for. */
export const manifestProblems = ({
  dependencies = {},
  devDependencies = {},
}: Manifest): ReadonlyArray<string> =>
  Object.entries({ ...dependencies, ...devDependencies })
    .filter(([, version]) => !exactVersion.test(version))
    .map(([name, version]) => `${name} is ${version} in package.json: name one version.`)

const readJson = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = [
    ...lockfileProblems(readJson("package-lock.json") as Lockfile),
    ...manifestProblems(readJson("package.json") as Manifest),
    ...manifestProblems(readJson("test/package.json") as Manifest),
  ]
  for (const problem of problems) process.stdout.write(`${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
