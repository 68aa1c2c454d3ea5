import { isPlain } from "./jsonSchema.ts"
import type { OpenApiDocument, Operation } from "./openapiTypes.ts"
import { credentialOf, type Reader } from "./readers.ts"

type Components = OpenApiDocument["components"]
type Operations = OpenApiDocument["paths"]

/** Every `$ref` in a value, at any depth; names of schemas in a discriminator's mapping are among its `oneOf`. */
const refsOf = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(refsOf)
  if (!isPlain(value)) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === "$ref" && typeof member === "string" ? [member] : refsOf(member),
  )
}

/** What operations use of the components, directly or through others; all the security schemes. */
export const usedComponents = (components: Components, ...operations: ReadonlyArray<unknown>): Components => {
  const used = new Set(operations.flatMap(refsOf))
  for (const ref of used) {
    const [, , kind = "", name = ""] = ref.split("/")
    for (const further of refsOf(components[kind as keyof Components]?.[name])) used.add(further)
  }
  const keep = <A>(kind: string, all: Readonly<Record<string, A>>): Readonly<Record<string, A>> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`#/components/${kind}/${name}`)))
  const { schemas, headers, parameters, examples } = components
  return {
    ...components,
    schemas: keep("schemas", schemas),
    headers: keep("headers", headers),
    parameters: keep("parameters", parameters),
    examples: keep("examples", examples),
  }
}

/** An operation as one of its readers calls it: with the credential that this reader has. */
const forReader = (operation: Operation, reader: Reader): Operation => ({
  ...operation,
  tags: [reader],
  security: operation.security.filter((needed) =>
    Object.keys(needed).every((name) => name === credentialOf[reader]),
  ),
})

/** The operations of a reader; paths that have none are left out. */
const operationsOf = (operations: Operations, reader: Reader): Operations => {
  const kept = Object.entries(operations).map(([path, methods]) => {
    const own = Object.entries(methods).filter(([, { tags }]) => tags.includes(reader))
    return [path, Object.fromEntries(own.map(([method, one]) => [method, forReader(one, reader)]))] as const
  })
  return Object.fromEntries(kept.filter(([, methods]) => Object.keys(methods).length > 0))
}

/** The part of the document that is written for a reader, with the components that it uses. */
export const openApiPart = (whole: OpenApiDocument, reader: Reader): OpenApiDocument => {
  const { paths: all, webhooks: sent = {}, components, ...rest } = whole
  const paths = operationsOf(all, reader)
  const webhooks = operationsOf(sent, reader)
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const sections = new Set(operations.map((operation) => operation["x-section"]))
  const credentials = new Set(
    operations.flatMap(({ security }) => security.flatMap((needed) => Object.keys(needed))),
  )
  const schemes = Object.entries(components.securitySchemes).filter(([name]) => credentials.has(name))
  return {
    ...rest,
    info: { ...whole.info, title: `${whole.info.title} for ${reader}s` },
    tags: whole.tags.filter(({ name }) => name === reader),
    "x-sections": whole["x-sections"].filter(({ name }) => sections.has(name)),
    paths,
    ...(Object.keys(webhooks).length === 0 ? {} : { webhooks }),
    components: {
      ...usedComponents(components, paths, webhooks),
      securitySchemes: Object.fromEntries(schemes),
    },
  }
}
