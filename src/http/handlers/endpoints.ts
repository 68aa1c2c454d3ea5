import { Effect } from "effect"
import type { endpointsGroup } from "../../../schema/api/endpoints.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { EndpointManagement } from "../../accounts/webhookSettings/endpointManagement.ts"
import { Endpoints } from "../../accounts/webhookSettings/endpoints.ts"
import { momentOf } from "../contract/moments.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"

const json =
  (status: number) =>
  (value: unknown): JsonReply => ({ status, body: JSON.stringify(value) })

/** Routes of webhook endpoints. */
export const makeEndpointHandlers = Effect.gen(function* () {
  const endpoints = yield* Endpoints
  const managed = yield* EndpointManagement
  const log = yield* SecurityLog

  const handlers: GroupHandlers<typeof endpointsGroup> = {
    listEndpoints: ({ principal }) => Effect.map(managed.list(principal), (data) => json(200)({ data })),
    createEndpoint: ({ principal: { sellerId, mode }, payload: { url, events, description } }) =>
      Effect.map(
        endpoints.create({ sellerId, mode, url, events, description: description ?? undefined }),
        json(201),
      ),
    patchEndpoint: ({ principal, params, payload }) =>
      Effect.map(managed.patch(principal, params.id, payload), json(200)),
    deleteEndpoint: ({ principal, params }) =>
      Effect.as(managed.delete(principal, params.id), { status: 204, body: "" }),
    rotateEndpointSecret: Effect.fnUntraced(function* ({ principal, params, session }) {
      const rotated = yield* managed.rotateSecret(principal, params.id)
      const reason = `rotated, ends at ${rotated.previous_secret_expires_at}`
      yield* log.revoked("webhook secret", { userId: session.userId, id: params.id }, reason)
      return json(200)(rotated)
    }),
    getEndpointStats: ({ principal, params }) => Effect.map(managed.stats(principal, params.id), json(200)),
    pingEndpoint: ({ principal, params }) => Effect.map(managed.ping(principal, params.id), json(202)),
    recoverEndpoint: ({ principal, params, payload: { since, until } }) => {
      const window = {
        since: new Date(momentOf(since, "start")).toISOString(),
        ...(until === undefined ? {} : { until: new Date(momentOf(until, "end")).toISOString() }),
      }
      return Effect.map(managed.recover(principal, params.id, window), json(202))
    },
  }
  return handlers
})
