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
