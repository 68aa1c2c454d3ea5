import type { Answer } from "../api/routes.ts"

/** Pages of the API's resources, by the resource's `object`. */
const pages: Readonly<Record<string, string>> = {
  transaction: "/charges/",
  withdrawal: "/withdrawals/",
  payment_link: "/links/",
  customer: "/customers/",
  webhook_endpoint: "/webhooks/",
  webhook_delivery: "/deliveries/",
  refund: "/refunds?id=",
  event: "/events?id=",
}

/** The page of a resource, as a path below the application's base; undefined where it has none. */
export const pathOfResource = (object: string, id: string): string | undefined => {
  const page = pages[object]
  return page === undefined ? undefined : page + encodeURIComponent(id)
}

/** A result of a search; an event's `status` is its type. */
type SearchHit = Answer<"GET /v1/me/search">["data"][number]

/** A result of operators' search. */
type OperatorHit = Answer<"GET /v1/admin/search">["data"][number]

/** A result of a search, a customer or a charge that was found by words, with the name of who pays, or what operators find, with its seller. */
export type Hit =
  | (SearchHit & { readonly payer?: undefined; readonly seller_name?: undefined })
  | (Pick<SearchHit, "id" | "status" | "amount" | "created_at"> & {
      readonly object: SearchHit["object"] | "customer"
      readonly matched?: undefined
      readonly payer: string
      readonly seller_name?: undefined
    })
  | (OperatorHit & { readonly matched?: undefined; readonly payer?: undefined })

/** The pages on which operators deal with what they find; what has none is on its seller's. */
const operatorPages: Readonly<Record<string, string>> = {
  transaction: "/admin/charges/",
  refund: "/admin/charges/",
  exception: "/admin/exceptions?id=",
}

/** The page of a result; Pix keys are managed where money is withdrawn to them. */
export const linkOf = (hit: Hit): string => {
  const { object, id } = hit
  if (hit.seller_name === undefined) return pathOfResource(object, id) ?? "/withdrawals"
  const page = operatorPages[object]
  return page === undefined ? `/admin/sellers/${hit.seller_id}` : page + encodeURIComponent(id)
}
