import { ApiError } from "./errors.ts"
import { type CatalogEntry, eventCatalog, eventTypeOf } from "./events.ts"

/** Whether an endpoint may subscribe to it: any type that is neither internal nor `ping`. */
export const isSubscribable = (type: string): boolean => {
  const found = eventTypeOf(type)
  return found !== undefined && !found.internal && found.resourceType !== "ping"
}

/** The form of event types. Text of any other form is not repeated: it may be a secret in the wrong place. */
const typePattern = /^[a-z_]+(?:\.[a-z_]+|\.\*)?$/

const shownType = (type: string): string => {
  const shown = type.slice(0, 64)
  return typePattern.test(shown) ? `'${shown}'` : "This"
}

const allTypes = eventCatalog.map(({ type }) => type)
const subscribableTypes = allTypes.filter(isSubscribable)

/**
 * Checks the `events` of an endpoint: exact catalog types or `["*"]`. `invalid_event_type` names the first bad one, and
 * lists those that can be subscribed to.
 */
export const checkSubscription = (
  events: ReadonlyArray<string>,
): ApiError<"invalid_event_type"> | undefined => {
  for (const [index, type] of events.entries()) {
    if (type === "*" || isSubscribable(type)) continue
    return new ApiError({
      code: "invalid_event_type",
      param: `events.${index}`,
      message: `${shownType(type)} is not an event type you can subscribe to. Use types from GET /v1/event-types, or "*" for all.`,
      details: { types: subscribableTypes },
    })
  }
  return undefined
}

const testableTypes = eventCatalog.filter(({ internal }) => !internal).map(({ type }) => type)

/**
 * Checks the type of a test event: any that endpoints can receive, so `ping` too. 400 `validation_failed` at `type`, with the types
 * there are.
 */
export const checkTestType = (type: string): ApiError<"validation_failed"> | CatalogEntry => {
  const found = eventTypeOf(type)
  if (found?.internal === false) return found
  const why =
    found === undefined ? "is not an event type" : "is internal, so no endpoint ever receives such an event"
  return new ApiError({
    code: "validation_failed",
    param: "type",
    message: `${shownType(type)} ${why}. A test event can be one of: ${testableTypes.join(", ")}.`,
    details: { types: testableTypes },
  })
}

/** The part before `.*` in a family: `transaction` for `transaction.paid`. */
const families = new Set(
  eventCatalog.filter(({ type }) => type.includes(".")).map(({ type }) => type.slice(0, type.indexOf("."))),
)

const isKnownName = (name: string): boolean =>
  name === "*" || eventTypeOf(name) !== undefined || (name.endsWith(".*") && families.has(name.slice(0, -2)))

const invalidTypes = (param: string, message: string): ApiError<"validation_failed"> =>
  new ApiError({ code: "validation_failed", param, message, details: { types: allTypes } })

/** A filter on event types: exact types or families (`transaction.*`), comma-separated. */
export interface TypesFilter {
  readonly matches: (type: string) => boolean
}

/**
 * Reads `types`. Every name must be a type (internal ones included), a family or `*`, because any other would silently
 * match nothing: it is 400 `validation_failed` with the types there are, as are more than `typesMax` names.
 */
export const readTypesFilter = (
  text: string,
  typesMax: number,
): TypesFilter | ApiError<"validation_failed"> => {
  const names = text.split(",").map((name) => name.trim())
  if (names.length > typesMax) {
    return invalidTypes(
      "types",
      `types must be a comma-separated list of at most ${typesMax} event types or families, like transaction.paid,withdrawal.* for example.`,
    )
  }
  const unknown = names.find((name) => !isKnownName(name))
  if (unknown !== undefined) {
    const known = [...allTypes, ...[...families].map((family) => `${family}.*`), "*"]
    return invalidTypes(
      "types",
      `${shownType(unknown)} is neither an event type nor a family of types. Known: ${known.join(", ")}.`,
    )
  }
  const exact = new Set(names.filter((name) => !name.endsWith("*")))
  const prefixes = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1))
  return { matches: (type) => exact.has(type) || prefixes.some((prefix) => type.startsWith(prefix)) }
}

/** Checks a filter on one exact type, as `readTypesFilter` does; undefined is no filter. */
export const checkTypeFilter = (
  param: string,
  type: string | undefined,
): ApiError<"validation_failed"> | undefined =>
  type === undefined || eventTypeOf(type) !== undefined
    ? undefined
    : invalidTypes(param, `${shownType(type)} is not an event type. Known: ${allTypes.join(", ")}.`)
