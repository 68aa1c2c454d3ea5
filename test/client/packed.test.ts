import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findNode } from "./support/runProgram.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const compiler = join(root, "node_modules", "typescript", "bin", "tsc")

/** A project of a user, whose only package is the client as npm packs it. */
let folder: string

const program = `
import { Corrente, CorrenteError } from "@corrente/client"
const corrente = new Corrente({ apiKey: "sk_test_x", baseUrl: "http://127.0.0.1:9" })
const readAmount = async (): Promise<number> => (await corrente.transactions.get("txn_1")).amount
const isOurs = (error: unknown): error is CorrenteError => error instanceof CorrenteError
console.log(typeof corrente.events.subscribe, typeof readAmount, isOurs(new Error()))
`

const run = (file: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(file, args, { cwd: folder, encoding: "utf8" })

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "corrente-client-"))
  // It is built on the way, as for whoever publishes it: in a new clone there is no dist before.
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: join(root, "client") })
  const [packed = ""] = readdirSync(folder)
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  writeFileSync(join(folder, "program.ts"), program)
  run("npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", join(folder, packed))
}, 60_000)
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

describe("the client as npm packs it", () => {
  for (const [module, resolution] of [
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ] as const) {
    it(`a strict program with the packed client type-checks with the module resolution ${resolution}`, () => {
      const options = ["--strict", "--target", "es2022", "--lib", "es2022,dom", "--types", ""]
      const how = ["--module", module, "--moduleResolution", resolution, "--outDir", "built"]
      expect(run(process.execPath, compiler, ...options, ...how, "program.ts")).toBe("")
    })
  }

  for (const major of [20, 22, 24]) {
    const node = findNode(major)
    it.skipIf(node === undefined)(`a program with the packed client runs under Node ${major}`, () => {
      const options = ["--strict", "--target", "es2022", "--lib", "es2022,dom", "--types", ""]
      run(
        ...([process.execPath, compiler, ...options] as const),
        ...["--module", "nodenext", "--outDir", `under${major}`, "program.ts"],
      )
      expect(run(node ?? "", `under${major}/program.js`)).toBe("function function false\n")
    })
  }
})
