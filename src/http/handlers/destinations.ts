import { Effect } from "effect"
import type { destinationsGroup } from "../../../schema/api/endpoints.ts"
import { PostbackSecrets } from "../../accounts/postbackSecrets.ts"
import { Trackers } from "../../accounts/trackers.ts"
import type { GroupHandlers, JsonReply } from "../request.ts"

const json = (value: unknown): JsonReply => ({ status: 200, body: JSON.stringify(value) })

/** Routes of the postback secret (spec 4.3) and of a mode's tracker (decisions 5). */
export const makeDestinationHandlers = Effect.gen(function* () {
  const postbackSecrets = yield* PostbackSecrets
  const trackers = yield* Trackers

  const handlers: GroupHandlers<typeof destinationsGroup> = {
    getPostbackSecret: ({ principal }) => Effect.map(postbackSecrets.info(principal.sellerId), json),
    rotatePostbackSecret: ({ principal }) => Effect.map(postbackSecrets.rotate(principal.sellerId), json),
    getTracker: ({ principal }) => Effect.map(trackers.get(principal), json),
    putTracker: ({ principal, payload: { url, headers = {} } }) =>
      Effect.map(trackers.put(principal, { url, headers }), json),
    deleteTracker: ({ principal }) => Effect.as(trackers.remove(principal), { status: 204, body: "" }),
  }
  return handlers
})
