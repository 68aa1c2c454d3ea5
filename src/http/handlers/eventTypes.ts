import { Schema } from "effect"
import { foldAllOfDeep, isPlain } from "../../../schema/api/jsonSchema.ts"
import { isSubscribable } from "../../../schema/eventChecks.ts"
import { exampleDelivery, exampleInFeed } from "../../../schema/eventExamples.ts"
import { catalogEvents } from "../../../schema/resources/catalogEvent.ts"

/** Writes an `enum` of one value as `const`. */
const withConst = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withConst)
  if (!isPlain(value)) return value
  const { enum: values, ...rest } = value
  const isOne = Array.isArray(values) && values.length === 1
  const kept = isOne ? { ...rest, const: values[0] } : value
  return Object.fromEntries(Object.entries(kept).map(([key, member]) => [key, withConst(member)]))
}

/** A JSON Schema (draft 2020-12) that stands alone: its references lead into its own `$defs`. */
const jsonSchemaOf = (event: Schema.Top): object => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(event)
  const root = typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined
  const { [root ?? ""]: own = schema, ...$defs } = definitions
  const { examples: _, ...fields } = own
  return withConst(foldAllOfDeep({ ...fields, $defs })) as object
}

const render = (): string =>
  JSON.stringify({
    data: catalogEvents.map(({ schema, ...event }) => ({
      type: event.type,
      resource_type: event.resourceType,
      internal: event.internal,
      subscribable: isSubscribable(event.type),
      description: event.description,
      schema: jsonSchemaOf(schema),
      example: exampleDelivery(event),
      feed_example: exampleInFeed(event),
    })),
  })

let rendered: string | undefined

/**
 * The answer of GET /v1/event-types: each type with a JSON Schema of both forms, an example as deliveries carry it,
 * and one as the feed shows it. Rendered when it is first asked for: that takes a tenth of a start's CPU.
 */
export const eventTypesBody = (): string => {
  rendered ??= render()
  return rendered
}
