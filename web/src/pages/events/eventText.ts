import type { FeedEvent } from "../../api/live.ts"
import { statusTone } from "../../text/statuses.ts"

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

/** The line about an event's resource, whatever kind of resource it is. */
export const summaryOf = (event: FeedEvent): Summary => {
  const resource: Readonly<Record<string, unknown>> = { ...event.data.object }
  const customer = isObject(resource.customer) ? resource.customer : {}
  return {
    object: textIn(resource.object) ?? event.type.split(".")[0] ?? "",
    id: textIn(resource.id),
    amount: typeof resource.amount === "number" ? resource.amount : undefined,
    name: textIn(customer.name) ?? textIn(resource.reason) ?? textIn(resource.name) ?? textIn(resource.url),
  }
}

/** How an event is coloured, by what its type ends with. */
export const toneOf = (type: string): string => statusTone(type.slice(type.lastIndexOf(".") + 1))

/** Marks that change the direction of the text around them, or that no one can see. */
const hiddenMarks = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** A value as indented JSON, with marks that would disorder or hide its text written as `\uXXXX`. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    hiddenMarks,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
