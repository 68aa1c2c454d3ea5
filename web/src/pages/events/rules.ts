import { eventCatalog } from "../../../../schema/events.ts"

/** Families of event types, each as the API's `types` takes it. */
export const families: ReadonlyArray<string> = [
  ...new Set(eventCatalog.map(({ type, resourceType }) => (type.includes(".") ? `${resourceType}.*` : type))),
]

/** The types and families of the address, `types=transaction.*,refund.*`; none stand for all. */
export const typesOf = (parameter: string | null): ReadonlyArray<string> => [
  ...new Set(
    (parameter ?? "")
      .split(",")
      .map((type) => type.trim())
      .filter((type) => type !== "" && type !== "*"),
  ),
]

/** The address' parameter once a type or family is added, or removed if it was there; undefined for all. */
export const toggled = (types: ReadonlyArray<string>, type: string): string | undefined => {
  const next = types.includes(type) ? types.filter((other) => other !== type) : [...types, type]
  return next.length === 0 ? undefined : next.join(",")
}

/** What of an event's resource is worth a line; undefined where the resource does not have it. */
export interface Summary {
  readonly object: string
  readonly id: string | undefined
  readonly amount: number | undefined
  /** Somebody else's words. */
  readonly name: string | undefined
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** An event, as far as its line goes. */
interface Told {
  readonly type: string
  readonly data: { readonly object: object }
}

/** The line about an event's resource, whatever kind of resource it is. */
export const summaryOf = (event: Told): Summary => {
  const resource: Readonly<Record<string, unknown>> = { ...event.data.object }
  const customer = isObject(resource.customer) ? resource.customer : {}
  return {
    object: textIn(resource.object) ?? event.type.split(".")[0] ?? "",
    id: textIn(resource.id),
    amount: typeof resource.amount === "number" ? resource.amount : undefined,
    name: textIn(customer.name) ?? textIn(resource.reason) ?? textIn(resource.name) ?? textIn(resource.url),
  }
}

/** Marks that change the direction of the text around them, or that no one can see. */
const hiddenMarks = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** A value as indented JSON, with marks that would disorder or hide its text written as `\uXXXX`. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    hiddenMarks,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
