/** A result of `GET /v1/me/search`; which fields it has beside these depends on the object. */
export interface Hit {
  readonly object: string
  readonly id: string
  readonly [field: string]: unknown
}

/** Pages of what can be found, by the object's name. */
const pages: Readonly<Record<string, string>> = {
  transaction: "/charges",
  withdrawal: "/withdrawals",
  webhook_endpoint: "/webhooks",
  webhook_delivery: "/deliveries",
}

/** The page of a result. */
export const linkOf = ({ object, id }: Hit): string => {
  const page = pages[object]
  if (page !== undefined) return `${page}/${id}`
  if (object === "refund") return `/refunds?id=${id}`
  return object === "event" ? `/events?id=${id}` : "/balance"
}
