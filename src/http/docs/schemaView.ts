import type { JsonSchema } from "../../../schema/api/openapiTypes.ts"
import { escapeHtml, proseHtml } from "./html.ts"

const componentName = (schema: JsonSchema): string | undefined => schema.$ref?.split("/").at(-1)

const componentLink = (name: string): string =>
  `<a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a>`

/** A schema's type in a few words: `string or null`, `array of Item`. */
export const typeHtml = (schema: JsonSchema): string => {
  const name = componentName(schema)
  if (name !== undefined) return componentLink(name)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return alternatives.map(typeHtml).join(" or ")
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(" | ")
  }
  if (schema.items !== undefined) return `array of ${typeHtml(schema.items)}`
  return escapeHtml([schema.type ?? "any"].flat().join(" or "))
}

const range = (low: unknown, high: unknown, unit: string): string | undefined => {
  if (low !== undefined && high !== undefined) return `${low} to ${high}${unit}`
  if (low !== undefined) return `at least ${low}${unit}`
  return high === undefined ? undefined : `at most ${high}${unit}`
}

/** Bounds, formats and defaults. */
const limitsOf = (schema: JsonSchema): ReadonlyArray<string> => {
  const bounds = [
    range(schema.minimum, schema.maximum, ""),
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " items"),
    range(schema.minProperties, schema.maxProperties, " keys"),
    schema.format === undefined ? undefined : String(schema.format),
    schema.default === undefined ? undefined : `default ${schema.default}`,
  ]
  const own = bounds.filter((bound) => bound !== undefined)
  return own.length > 0 ? own : (schema.anyOf ?? []).flatMap(limitsOf)
}

/** A field's type, limits and meaning, in one line. */
export const fieldHtml = (name: string, schema: JsonSchema, required: boolean): string => {
  const limits = limitsOf(schema)
  return [
    `<code class="name">${escapeHtml(name)}</code>`,
    `<span class="type">${typeHtml(schema)}</span>`,
    required ? '<span class="required">required</span>' : "",
    limits.length > 0 ? `<span class="limits">${escapeHtml(limits.join(", "))}</span>` : "",
    schema.description === undefined ? "" : `<span class="meaning">${proseHtml(schema.description)}</span>`,
  ].join(" ")
}

/** The object whose fields are listed: the schema itself, or the items of its array. */
const objectOf = (schema: JsonSchema): JsonSchema | undefined => {
  if (schema.properties !== undefined) return schema
  if (schema.items !== undefined) return objectOf(schema.items)
  return schema.anyOf?.map(objectOf).find((found) => found !== undefined)
}

/** Nested lists of an object's fields; components are linked, not repeated. "" if there are none. */
export const fieldsHtml = (schema: JsonSchema): string => {
  const object = objectOf(schema)
  if (object === undefined) return ""
  const rows = Object.entries(object.properties ?? {}).map(([name, field]) => {
    const required = object.required?.includes(name) === true
    return `<li>${fieldHtml(name, field, required)}${fieldsHtml(field)}</li>`
  })
  return `<ul class="fields">${rows.join("")}</ul>`
}
