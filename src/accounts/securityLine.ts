import { Effect } from "effect"
import { CurrentRequest } from "./currentRequest.ts"
import { type SecurityEvent, securityEvents } from "./securityEvents.ts"

/** The fields of a line besides those of its request; absent ones are left out. Never a secret, nor anything that somebody typed. */
export type SecurityFacts = Readonly<Record<string, string | number | undefined>>

const present = (facts: SecurityFacts): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(facts).filter(
      (fact): fact is [string, string | number] => fact[1] !== undefined && fact[1] !== "",
    ),
  )

/** Writes a security line, with what is known of the request that this program answers. `facts` win over the request's. */
export const securityLine = Effect.fnUntraced(function* (event: SecurityEvent, facts: SecurityFacts = {}) {
  const request = yield* CurrentRequest
  const [level, words] = securityEvents[event]
  const text = facts.reason === undefined ? words : `${words}: ${facts.reason}`
  yield* Effect.annotateLogs(level === "warn" ? Effect.logWarning(text) : Effect.logInfo(text), {
    event,
    ...present({
      request_id: request?.requestId,
      client_address: request?.clientAddress,
      user_id: request?.userId,
      seller_id: request?.sellerId,
      api_key_id: request?.apiKeyId,
    }),
    ...present(facts),
  })
})
