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
