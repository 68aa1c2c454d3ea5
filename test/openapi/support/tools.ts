// Usage: node test/openapi/support/tools.ts <tool> <output directory> <document.json>...
//
// Runs one linter or generator on OpenAPI documents, in a process of its own: each loads tens of megabytes. A linter prints its
// findings in all of them as JSON; a generator writes TypeScript into the directory, from the first.
import { readFileSync, writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import { join } from "node:path"

const [tool = "", output = "", ...paths] = process.argv.slice(2)
const [path = ""] = paths

/** Generators write with the compiler's own library, which the native compiler of the project does not have. */
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === "typescript" ? "typescript-with-api" : specifier, context),
})

const tools: Readonly<Record<string, () => Promise<unknown>>> = {
  redocly: async () => {
    const { createConfig, lintFromString } = await import("@redocly/openapi-core")
    const config = await createConfig({ extends: ["recommended"] })
    const lint = async (path: string) => {
      const found = await lintFromString({ source: readFileSync(path, "utf8"), absoluteRef: path, config })
      return found.map(({ ruleId, message, location }) => [path, ruleId, message, location[0]?.pointer])
    }
    return (await Promise.all(paths.map(lint))).flat()
  },

  spectral: async () => {
    const { default: spectral } = await import("@stoplight/spectral-core")
    const { default: rulesets } = await import("@stoplight/spectral-rulesets")
    const linter = new spectral.Spectral()
    // The two packages disagree about the type of a ruleset.
    linter.setRuleset({ extends: [rulesets.oas as never] })
    const lint = async (path: string) => {
      const found = await linter.run(JSON.parse(readFileSync(path, "utf8")))
      return found.map(({ code, message, path: place }) => [path, code, message, place.join("/")])
    }
    return (await Promise.all(paths.map(lint))).flat()
  },

  "openapi-typescript": async () => {
    const { astToString, default: openapiTypescript } = await import("openapi-typescript")
    writeFileSync(join(output, "types.ts"), astToString(await openapiTypescript(readFileSync(path, "utf8"))))
  },

  "hey-api": async () => {
    const { createClient } = await import("@hey-api/openapi-ts")
    await createClient({
      input: path,
      output,
      logs: { level: "silent" },
      plugins: ["@hey-api/typescript", "@hey-api/sdk", "@hey-api/client-fetch"],
    })
  },

  orval: async () => {
    const { generate } = await import("orval")
    await generate({
      input: { target: path },
      output: { target: join(output, "client.ts"), client: "fetch", baseUrl: "http://localhost:3000" },
    })
  },
}

const run = tools[tool]
if (run === undefined) throw new Error(`no tool ${tool}`)
const printed = await run()
if (printed !== undefined) process.stdout.write(JSON.stringify(printed))
