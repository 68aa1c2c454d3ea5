import { Effect } from "effect"
import type { destinationsGroup } from "../../../schema/api/endpoints.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { makeRequireActive } from "../../accounts/sellers/activeSeller.ts"
import { PostbackSecrets } from "../../accounts/webhookSettings/postbackSecrets.ts"
import { Trackers } from "../../accounts/webhookSettings/trackers.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"

const json = (value: unknown): JsonReply => ({ status: 200, body: JSON.stringify(value) })

/** Routes of the postback secret and of a mode's tracker. */
export const makeDestinationHandlers = Effect.gen(function* () {
  const postbackSecrets = yield* PostbackSecrets
  const trackers = yield* Trackers
  const log = yield* SecurityLog
  const requireActive = yield* makeRequireActive
  const audit = yield* SellerAudit

  const handlers: GroupHandlers<typeof destinationsGroup> = {
    getPostbackSecret: ({ principal }) => Effect.map(postbackSecrets.info(principal.sellerId), json),
    rotatePostbackSecret: Effect.fnUntraced(function* ({ principal, session }) {
      const rotated = yield* audit.does(
        principal,
        {
          action: "postback_secret.rotated",
          resourceType: "seller",
          resourceId: principal.sellerId,
        },
        postbackSecrets.rotate(principal.sellerId),
      )
      yield* log.revoked("postback secret", { userId: session.userId }, "rotated")
      return json(rotated)
    }),
    getTracker: ({ principal }) => Effect.map(trackers.get(principal), json),
    putTracker: ({ principal, payload: { url, headers = {} } }) =>
      Effect.andThen(
        requireActive(principal.sellerId),
        Effect.map(
          audit.does(
            principal,
            {
              action: "tracker.set",
              resourceType: "tracker",
              details: { mode: principal.mode, url, headers: Object.keys(headers) },
            },
            trackers.put(principal, { url, headers }),
          ),
          json,
        ),
      ),
    deleteTracker: ({ principal }) =>
      Effect.as(
        audit.does(
          principal,
          { action: "tracker.deleted", resourceType: "tracker", details: { mode: principal.mode } },
          trackers.remove(principal),
        ),
        { status: 204, body: "" },
      ),
  }
  return handlers
})
