import { Effect } from "effect"
import type { Principal } from "../../../actors/values/principal.ts"
import type { endpointsGroup } from "../../../schema/api/endpoints.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { makeRequireActive } from "../../accounts/sellers/activeSeller.ts"
import { ofOwnSeller } from "../../accounts/sellers/sellerChanges.ts"
import { EndpointManagement } from "../../accounts/webhookSettings/endpointManagement.ts"
import { Endpoints } from "../../accounts/webhookSettings/endpoints.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"
import { datedRow, makeClockWindows } from "./clockWindows.ts"
import { Cursors } from "./cursors.ts"
import { orFail, pageReply, pageSize, windowOf } from "./page.ts"

const json =
  (status: number) =>
  (value: unknown): JsonReply => ({ status, body: JSON.stringify(value) })

/** What was sent, as the audit log may keep it: without the password of a URL. */
const withoutPassword = <Sent extends { readonly url?: string }>(sent: Sent): Sent => {
  const url = URL.parse(sent.url ?? "")
  if (url === null || url.password === "") return sent
  url.password = ""
  return { ...sent, url: url.href }
}

/** Routes of webhook endpoints. */
export const makeEndpointHandlers = Effect.gen(function* () {
  const endpoints = yield* Endpoints
  const managed = yield* EndpointManagement
  const log = yield* SecurityLog
  const audit = yield* SellerAudit
  const clock = yield* makeClockWindows

  /** Does something to an endpoint, as an act of whoever asks. */
  const does = <A, E, R>(
    principal: Principal,
    act: "created" | "updated" | "deleted" | "secret_rotated",
    details: Readonly<Record<string, unknown>>,
    program: Effect.Effect<A, E, R>,
  ) =>
    audit.does(
      principal,
      {
        ...{ action: `webhook_endpoint.${act}` as const, resourceType: "webhook_endpoint" },
        details: { mode: principal.mode, ...details },
      },
      program,
    )
  const cursors = yield* Cursors
  const requireActive = yield* makeRequireActive

  const handlers: GroupHandlers<typeof endpointsGroup> = {
    listEndpoints: ({ principal }) => Effect.map(managed.list(principal), (data) => json(200)({ data })),
    getEndpoint: ({ principal, params }) => Effect.map(managed.get(principal, params.id), json(200)),
    createEndpoint: Effect.fnUntraced(function* ({ principal, payload }) {
      const { sellerId, mode } = principal
      yield* requireActive(sellerId)
      const { description, ...rest } = payload
      const input = { sellerId, mode, ...rest, description: description ?? undefined }
      return json(201)(
        yield* does(principal, "created", withoutPassword(rest), ofOwnSeller(endpoints.create(input))),
      )
    }),
    patchEndpoint: Effect.fnUntraced(function* ({ principal, params, payload }) {
      if (payload.url !== undefined) yield* requireActive(principal.sellerId)
      return json(200)(
        yield* does(
          principal,
          "updated",
          withoutPassword(payload),
          managed.patch(principal, params.id, payload),
        ),
      )
    }),
    deleteEndpoint: ({ principal, params }) =>
      Effect.as(does(principal, "deleted", {}, managed.delete(principal, params.id)), {
        status: 204,
        body: "",
      }),
    rotateEndpointSecret: Effect.fnUntraced(function* ({ principal, params, session }) {
      const rotated = yield* does(principal, "secret_rotated", {}, managed.rotateSecret(principal, params.id))
      const reason = `rotated, ends at ${rotated.previous_secret_expires_at}`
      yield* log.revoked("webhook secret", { userId: session.userId, id: params.id }, reason)
      return json(200)(rotated)
    }),
    getEndpointStats: ({ principal, params }) => Effect.map(managed.stats(principal, params.id), json(200)),
    listWaitingDeliveries: Effect.fnUntraced(function* ({ principal, params, query: { limit, cursor } }) {
      const scope = { list: "waiting", principal, filters: { id: params.id } }
      const afterPosition = yield* orFail(cursors.decode(scope, cursor))
      const page = { afterPosition, limit: pageSize(limit) }
      const { data, nextAfterPosition } = yield* managed.waiting(principal, params.id, page)
      const next = nextAfterPosition === undefined ? undefined : cursors.encode(scope, nextAfterPosition)
      const steps = yield* clock.stepsOf(principal)
      return pageReply(
        data.map((waiting) => datedRow(JSON.stringify(waiting), steps)),
        next,
      )
    }),
    pingEndpoint: ({ principal, params }) => Effect.map(managed.ping(principal, params.id), json(202)),
    testEndpoint: ({ principal, params, payload }) =>
      Effect.map(managed.test(principal, params.id, payload.type), json(202)),
    recoverEndpoint: Effect.fnUntraced(function* ({ principal, params, payload: { since, until, ...rest } }) {
      const shown = windowOf({ from: since, ...(until === undefined ? {} : { to: until }) })
      const { fromMillis = 0, toMillis } = yield* clock.windowIn(principal, shown)
      const recovery = {
        ...rest,
        since: new Date(fromMillis).toISOString(),
        ...(toMillis === undefined ? {} : { until: new Date(toMillis).toISOString() }),
      }
      return yield* Effect.map(managed.recover(principal, params.id, recovery), json(202))
    }),
  }
  return handlers
})
