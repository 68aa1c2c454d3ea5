// Usage: node scripts/with-node22.mjs scripts/client/types.ts [--check]
//
// Writes client/src/openapi.ts, the types of the client, from the same document that the service shows at /openapi.json, as far as
// API keys open it. With `--check` it writes nothing and fails where that file is another.
import { readFileSync, writeFileSync } from "node:fs"
import { registerHooks } from "node:module"
import type { OpenAPI3 } from "openapi-typescript"
import { openApiDocument } from "../../schema/api/openapi.ts"
import type { OpenApiDocument, Operation } from "../../schema/api/openapiTypes.ts"

const file = new URL("../../client/src/openapi.ts", import.meta.url)
const header = "// Made by `npm run client:types` from the API's document. Do not edit.\n"

/** openapi-typescript writes with the compiler's own library, which the native compiler of the project does not have. */
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === "typescript" ? "typescript-with-api" : specifier, context),
})
const { astToString, default: openapiTypescript } = await import("openapi-typescript")

const namesIn = (value: unknown): ReadonlyArray<string> =>
  [...JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = ""]) => name)

/** What a caller of an operation sees: errors are CorrenteError, and headers are not shown. */
const shownPart = ({ responses, ...operation }: Operation) => {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith("2"))
  return {
    ...operation,
    responses: Object.fromEntries(successes.map(([status, { headers: _, ...shown }]) => [status, shown])),
  }
}

/** The document's operations that an API key opens, with the schemas that they use. */
const partForKeys = ({ openapi, info, paths, components }: OpenApiDocument) => {
  const open = Object.entries(paths).map(([path, operations]) => {
    const withKey = Object.entries(operations).filter(([, { security }]) =>
      security.some((credential) => "apiKey" in credential),
    )
    return [path, Object.fromEntries(withKey.map(([method, operation]) => [method, shownPart(operation)]))]
  })
  const kept = open.filter(([, operations]) => Object.keys(operations ?? {}).length > 0)
  const used = new Set(["Error", ...namesIn(kept)])
  for (const name of used) for (const other of namesIn(components.schemas[name] ?? {})) used.add(other)
  const schemas = Object.entries(components.schemas).filter(([name]) => used.has(name))
  return {
    openapi,
    info,
    paths: Object.fromEntries(kept),
    components: { schemas: Object.fromEntries(schemas) },
  }
}

/** The text of client/src/openapi.ts, as the formatter leaves it alone. */
const clientTypes = async (): Promise<string> => {
  const part = partForKeys(openApiDocument()) as unknown as OpenAPI3
  const nodes = await openapiTypescript(part, {
    immutable: true,
    // Fields with a default may be left out of bodies.
    defaultNonNullable: false,
    // An object without listed fields has any fields, not none.
    emptyObjectsUnknown: true,
  })
  return header + astToString(nodes)
}

const text = await clientTypes()
if (!process.argv.includes("--check")) {
  writeFileSync(file, text)
} else if (readFileSync(file, "utf8") !== text) {
  console.error("client/src/openapi.ts is not what the API's document says. Run: npm run client:types")
  process.exitCode = 1
}
