import { type ErrorCode, errorCodes } from "../errorCodes.ts"
import { exampleError } from "../errors.ts"
import type { JsonSchema, MediaType, ResponseObject } from "./openapiTypes.ts"

/** The schemas of a document by name, with the examples that they are annotated with. */
export type Schemas = Readonly<Record<string, JsonSchema>>

const exampleOfType = (type: unknown): unknown => {
  if (type === "boolean") return true
  if (type === "integer" || type === "number") return 0
  return type === "null" ? null : undefined
}

/**
 * An example of what a schema describes: the one it is annotated with, else one that is made of the examples of its
 * parts. Undefined where a part has none; a test sees that no answer lacks one.
 */
export const exampleOf = (schema: JsonSchema, schemas: Schemas): unknown => {
  if (schema.examples !== undefined) return schema.examples[0]
  const named = schemas[schema.$ref?.split("/").at(-1) ?? ""]
  if (named !== undefined) return exampleOf(named, schemas)
  if (schema.enum !== undefined) return schema.enum[0]
  const [alternative] = schema.anyOf ?? schema.oneOf ?? []
  if (alternative !== undefined) return exampleOf(alternative, schemas)
  if (schema.items !== undefined) return [exampleOf(schema.items, schemas)]
  if (schema.properties === undefined) return exampleOfType(schema.type)
  const fields = Object.entries(schema.properties).map(([name, field]) => [name, exampleOf(field, schemas)])
  return Object.fromEntries(fields)
}

const isCode = (text: string): text is ErrorCode => text in errorCodes

/** The codes that an error's answer is described by. */
const codesOf = ({ description }: ResponseObject): ReadonlyArray<ErrorCode> =>
  [...description.matchAll(/`(\w+)`/g)].map(([, code]) => code ?? "").filter(isCode)

/** An example of each error, as components. */
export const componentExamples = Object.fromEntries(
  Object.keys(errorCodes)
    .filter(isCode)
    .map((code) => [code, { summary: `An error with the code \`${code}\`.`, value: exampleError(code) }]),
)

/** The examples of an error's answer: one of each of its codes, as references to the components above. */
export const errorExamplesOf = (response: ResponseObject): MediaType["examples"] => {
  const codes = codesOf(response)
  if (codes.length === 0) return undefined
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
}
