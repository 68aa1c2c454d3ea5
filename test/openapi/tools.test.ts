import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { openApiDocument } from "../../schema/api/openapi.ts"
import { openApiPart } from "../../schema/api/openapiPart.ts"
import { readers } from "../../schema/api/readers.ts"
import { sizes } from "../support/sizes.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const run = promisify(execFile)
/** Which documents each linter reads. Spectral takes 13 s of CPU for the whole, which redocly reads in 3, and 1.5 for the partner's. */
const linted: Readonly<Record<string, ReadonlyArray<string>>> =
  sizes.lintedDocuments === "all"
    ? { redocly: ["openapi", ...readers], spectral: ["openapi", ...readers] }
    : { redocly: ["openapi"], spectral: ["partner"] }

let folder = ""
beforeAll(async () => {
  await mkdir(join(root, ".data"), { recursive: true })
  folder = await mkdtemp(join(root, ".data", "openapi-"))
  const whole = openApiDocument()
  await writeFile(join(folder, "openapi.json"), JSON.stringify(whole))
  for (const reader of readers) {
    await writeFile(join(folder, `${reader}.json`), JSON.stringify(openApiPart(whole, reader)))
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs a linter or generator on documents, in a process of its own; answers what it prints. */
const runTool = async (tool: string, names: ReadonlyArray<string> = ["openapi"]): Promise<string> => {
  const output = join(folder, tool)
  await mkdir(output)
  const documents = names.map((name) => join(folder, `${name}.json`))
  const script = join(root, "test/openapi/support/tools.ts")
  const { stdout } = await run(process.execPath, [script, tool, output, ...documents], { cwd: root })
  return stdout
}

describe("the OpenAPI documents", () => {
  for (const [linter, names] of Object.entries(linted)) {
    it(`${linter} finds nothing by its recommended rules in ${names.join(", ")}`, async () => {
      expect(JSON.parse(await runTool(linter, names))).toEqual([])
    })
  }
})

/** What a merchant's program does with the types: it tells events apart, and knows the codes of errors. */
const programOf = (imports: string) => `
${imports}

export const paidAmount = (event: Event): number | undefined =>
  event.type === "transaction.paid" ? event.data.object.amount : undefined
export const returnedAmount = (event: Event): number | undefined =>
  event.type === "withdrawal.returned" ? event.data.object.returned_amount : undefined
export const isUnderWay = ({ error }: Failure): boolean => error.code === "idempotency_in_progress"
// @ts-expect-error There is no such code.
export const isMistyped = ({ error }: Failure): boolean => error.code === "idempotency_in_progres"
`

/** How each generator's types are imported. */
const generators: Readonly<Record<string, string>> = {
  "openapi-typescript": [
    'import type { components } from "./openapi-typescript/types"',
    'type Event = components["schemas"]["Event"]',
    'type Failure = components["schemas"]["Error"]',
  ].join("\n"),
  "hey-api": 'import type { Error as Failure, Event } from "./hey-api"',
  orval: 'import type { Error as Failure, Event } from "./orval/client"',
}

const compilerOptions = {
  ...{
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable"],
    module: "esnext",
    moduleResolution: "bundler",
  },
  ...{ strict: true, noEmit: true, types: [] },
}

/** The generators that are tried; the sample leaves out hey-api, whose types of our own client test/client compiles, and orval. */
const tried = Object.entries(generators).slice(0, sizes.lintedDocuments === "all" ? undefined : 1)

describe("clients generated from the OpenAPI document", () => {
  it(`clients by ${tried.map(([name]) => name).join(", ")} compile under strict, and tell events and codes apart`, async () => {
    for (const [generator, imports] of tried) {
      await runTool(generator)
      await writeFile(join(folder, `use-${generator}.ts`), programOf(imports))
    }
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }))
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const compiled = await run(process.execPath, [compiler, "-p", folder], { cwd: root }).catch(
      (failed: { readonly stdout: string }) => failed,
    )
    expect(compiled.stdout).toBe("")
  })
})
