/** A result of `GET /v1/me/search`. */
export interface Hit {
  readonly object: string
  readonly id: string
  /** By what it was found: `id`, `txid`, `end_to_end_id` or `email`. */
  readonly matched: string
  /** Of an event its type. */
  readonly status: string | null
  readonly amount: number | null
  readonly created_at: string | null
}

/** Pages of what can be found, by the object's name. */
const pages: Readonly<Record<string, string>> = {
  transaction: "/charges",
  withdrawal: "/withdrawals",
  webhook_endpoint: "/webhooks",
  webhook_delivery: "/deliveries",
}

/** The page of a result; PIX keys are managed where money is withdrawn to them. */
export const linkOf = ({ object, id }: Hit): string => {
  const page = pages[object]
  if (page !== undefined) return `${page}/${id}`
  if (object === "refund") return `/refunds?id=${id}`
  return object === "event" ? `/events?id=${id}` : "/withdrawals"
}
