// Usage: node scripts/with-node22.mjs scripts/client/build.ts
//
// Compiles client/src to client/dist, unless dist is already of these sources.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const client = join(root, "client")
const dist = join(client, "dist")
const compiler = join(root, "node_modules", "typescript")
const cache = join(root, "node_modules", ".cache", "client")
const stampFile = join(cache, "stamp")

const filesOf = (folder: string): ReadonlyArray<string> => readdirSync(folder).toSorted()

/** Stands for all that the compiled files depend on. */
const stampOfSources = (): string => {
  const sources = filesOf(join(client, "src")).map((name) => join(client, "src", name))
  const configured = [
    join(root, "tsconfig.json"),
    join(client, "tsconfig.json"),
    join(compiler, "package.json"),
  ]
  const hash = createHash("sha256")
  for (const file of [...configured, ...sources]) hash.update(`${file}\0`).update(readFileSync(file))
  return hash.digest("hex")
}

const isBuilt = (stamp: string): boolean =>
  existsSync(join(dist, "index.js")) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp

/**
 * Compiles client/src to client/dist, unless dist is of these sources. Any number may run at the same time: each compiles into a
 * folder of its own, and whole files take the place of earlier ones.
 */
export const buildClient = (): void => {
  const stamp = stampOfSources()
  if (isBuilt(stamp)) return
  mkdirSync(cache, { recursive: true })
  const draft = mkdtempSync(join(cache, "draft-"))
  try {
    const compile = [join(compiler, "bin", "tsc"), "-p", client, "--outDir", draft]
    const { status, stdout, stderr } = spawnSync(process.execPath, compile, { encoding: "utf8" })
    if (status !== 0) throw new Error(`The client does not compile:\n${stdout}${stderr}`)
    mkdirSync(dist, { recursive: true })
    const made = filesOf(draft)
    for (const name of made) renameSync(join(draft, name), join(dist, name))
    for (const name of filesOf(dist)) if (!made.includes(name)) rmSync(join(dist, name), { force: true })
    writeFileSync(join(draft, "stamp"), stamp)
    renameSync(join(draft, "stamp"), stampFile)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildClient()
