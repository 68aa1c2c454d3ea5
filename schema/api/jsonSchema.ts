/** Whether a value is an object and no array. */
export const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Merges the members of `allOf` into their schema, a reference too, unless a keyword occurs twice. */
export const foldAllOf = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { allOf, ...rest } = schema
  if (!Array.isArray(allOf) || !allOf.every(isPlain)) return schema
  const keys = allOf.flatMap((part) => Object.keys(part))
  const clash = keys.some((key, index) => key in rest || keys.indexOf(key) !== index)
  return clash ? schema : Object.assign(rest, ...allOf)
}

/** The same for a whole schema: Effect writes the description of a field into an `allOf` of its own. */
export const foldAllOfDeep = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(foldAllOfDeep)
  if (!isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(foldAllOf(value)).map(([key, member]) => [key, foldAllOfDeep(member)]),
  )
}
