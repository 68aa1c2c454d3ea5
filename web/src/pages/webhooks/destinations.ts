import type { Delivery } from "../../../../schema/resources/delivery.ts"
import type { Endpoint } from "../../../../schema/resources/endpoint.ts"
import { call } from "../../api/http.ts"
import { type Resource, useRead } from "../../api/resource.ts"
import { placeOf } from "./endpointFacts.ts"

/** The endpoints of the mode, as far as they are read: those that are deleted are not among them. */
export const useEndpoints = (): Resource<{ readonly data: ReadonlyArray<Endpoint> }> =>
  useRead(
    "GET /v1/me/webhook-endpoints",
    {},
    { reloadsOn: ({ type }) => type === "seller.webhook_endpoint_disabled" },
  )

/** The endpoints as they are now: one may have been disabled since the page was opened. */
export const readEndpoints = async (): Promise<ReadonlyArray<Endpoint>> =>
  (await call("GET /v1/me/webhook-endpoints")).data

/** Lets an endpoint get events again. */
export const enableEndpoint = (id: string): Promise<Endpoint> =>
  call("PATCH /v1/me/webhook-endpoints/:id", { params: { id }, body: { enabled: true } })

/**
 * Where a delivery went: host and path of its endpoint, which tell endpoints at one host apart. Only the host for other destinations,
 * and where the endpoint is deleted or has moved to another host since.
 */
export const destinationOf = (
  { endpoint_id, target_host }: Delivery,
  endpoints: ReadonlyArray<Endpoint> | undefined,
): string => {
  const endpoint = endpoints?.find(({ id }) => id === endpoint_id)
  const place = endpoint === undefined ? target_host : placeOf(endpoint.url)
  return place.startsWith(target_host) ? place : target_host
}
