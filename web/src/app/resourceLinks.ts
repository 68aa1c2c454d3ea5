import type { Answer } from "../api/routes.ts"

/** Pages of the API's resources, by the resource's `object`. */
const pages: Readonly<Record<string, string>> = {
  transaction: "/charges/",
  withdrawal: "/withdrawals/",
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

/** A result of a search, or a charge that was found by words, with its payer. */
export type Hit =
  | (SearchHit & { readonly payer?: undefined })
  | (Pick<SearchHit, "object" | "id" | "status" | "amount" | "created_at"> & {
      readonly matched?: undefined
      readonly payer: string
    })

/** The page of a result; Pix keys are managed where money is withdrawn to them. */
export const linkOf = ({ object, id }: { readonly object: string; readonly id: string }): string =>
  pathOfResource(object, id) ?? "/withdrawals"
