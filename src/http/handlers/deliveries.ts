import { Clock, Effect } from "effect"
import { sentHeaders } from "../../../actors/delivery/sentHeaders.ts"
import { parseAttemptDetail } from "../../../actors/endpoint/attemptPlan.ts"
import { renderDeliveryEvent } from "../../../actors/event/envelope.ts"
import { ChargeRenderer } from "../../../actors/ports/chargeRenderer.ts"
import { DeliveryQueue, type StoredAttempt } from "../../../actors/ports/deliveryQueue.ts"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { parseAttempt } from "../../../actors/values/storedDocuments.ts"
import type { api } from "../../../schema/api/index.ts"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { entryIdOf, isId, partitionOfId } from "../../../schema/ids.ts"
import { curlCommand, signedContent } from "../../delivery/sentRequest.ts"
import type { Handlers } from "../server/request.ts"
import { datedRow, makeClockWindows } from "./clockWindows.ts"
import { Cursors } from "./cursors.ts"
import { makeDeliveryPages } from "./deliveryPages.ts"
import { keyRevoked, orFail, pageReply, pageSize } from "./page.ts"

export type DeliveryHandlers = Pick<
  Handlers<typeof api, never>,
  "listDeliveries" | "getDelivery" | "retryDelivery"
>

const invalidState = (message: string): ApiError<"invalid_state"> =>
  new ApiError({ code: "invalid_state", message })

/** The detail view's own fields but `payload`; `body` is what was sent, undefined where it is no longer kept. */
const shownDetail = ({ row, detail }: StoredAttempt, body: string | undefined) => {
  const delivery = parseAttempt(row)
  const { request_headers: stored, response_body_excerpt, path } = parseAttemptDetail(detail)
  const request_headers = sentHeaders(delivery, stored)
  const sent = body === undefined ? undefined : { headers: request_headers, body }
  return {
    request_headers,
    response_body_excerpt,
    signed_content: sent === undefined ? null : signedContent(sent),
    curl:
      sent && path !== null ? curlCommand({ ...sent, url: `https://${delivery.target_host}${path}` }) : null,
  }
}

/** Routes of webhook deliveries. */
export const makeDeliveryHandlers = Effect.gen(function* () {
  const queue = yield* DeliveryQueue
  const log = yield* EventLog
  const charges = yield* ChargeRenderer
  const identifiers = yield* Identifiers
  const cursors = yield* Cursors
  const pages = yield* makeDeliveryPages
  const { stepsOf } = yield* makeClockWindows

  const handlers: DeliveryHandlers = {
    listDeliveries: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, ...filters } = query
      const scope = { list: "deliveries", principal, filters }
      const read = yield* pages.reader(principal, filters)
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const { rows, nextBeforeId } = yield* read(beforeId, pageSize(limit))
      const steps = yield* stepsOf(principal)
      return pageReply(
        rows.map((row) => datedRow(row, steps)),
        nextBeforeId === undefined ? undefined : cursors.encode(scope, nextBeforeId),
      )
    }),

    getDelivery: Effect.fnUntraced(function* ({ params, principal }) {
      if (!isId("whd_", params.id)) return yield* resourceNotFound("webhook delivery", params.id)
      const found = yield* queue.get(principal, params.id)
      if (found === undefined) return yield* resourceNotFound("webhook delivery", params.id)
      if ("kind" in found) return yield* keyRevoked()
      const entryId = entryIdOf(principal, found.eventId)
      const [entry] = entryId === undefined ? [] : yield* log.getMany(principal, [entryId])
      // The row of a late attempt outlives its event, by the time between them; the payload is gone then.
      const payload = entry === undefined ? undefined : renderDeliveryEvent(principal, entry, charges.render)
      const shown = JSON.stringify(shownDetail(found, payload))
      return {
        status: 200,
        body: `${datedRow(found.row, yield* stepsOf(principal)).slice(0, -1)},${shown.slice(1, -1)},"payload":${payload ?? "{}"}}`,
      }
    }),

    retryDelivery: Effect.fnUntraced(function* ({ params, principal }) {
      if (!isId("whd_", params.id)) return yield* resourceNotFound("webhook delivery", params.id)
      const nowMillis = yield* Clock.currentTimeMillis
      const deliveryId = identifiers.id("whd_", partitionOfId(principal.sellerId) ?? 0, nowMillis)
      const { kind } = yield* queue.retry(principal, params.id, deliveryId)
      switch (kind) {
        case "queued":
          return { status: 202, body: JSON.stringify({ delivery_id: deliveryId }) }
        case "keyInvalid":
          return yield* keyRevoked()
        case "missing":
          return yield* resourceNotFound("webhook delivery", params.id)
        case "succeeded":
          return yield* invalidState("This delivery has already succeeded; there is nothing to send again.")
        case "scheduled":
          return yield* invalidState(
            "This delivery already has an attempt scheduled or running. Wait for it.",
          )
        case "expired":
          return yield* invalidState(
            "The event of this delivery is no longer kept, so it cannot be sent again.",
          )
      }
    }),
  }
  return handlers
})
