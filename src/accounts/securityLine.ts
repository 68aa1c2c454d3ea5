import { Effect } from "effect"
import { CurrentRequest } from "./currentRequest.ts"

/**
 * The lines of the log about who gets in and what operators do, by their names, which stay as they are: level, and what it says to
 * people. Those of level `warn` are refusals, which anybody can cause; so they are bounded. `docs/logs.md` lists them with their fields.
 */
export const securityEvents = {
  "sign_up.succeeded": ["info", "Signed up"],
  "sign_in.succeeded": ["info", "Signed in"],
  "sign_in.second_step_required": ["info", "The password is right, the second step is awaited"],
  "sign_in.failed": ["warn", "Sign-in failed"],
  "second_step.succeeded": ["info", "Signed in by the second step"],
  "second_step.failed": ["warn", "The second step of a sign-in failed"],
  "second_factor.enabled": ["info", "The second factor was turned on"],
  "passkey.added": ["info", "A passkey was added"],
  "step_up.succeeded": ["info", "Stepped up"],
  "step_up.failed": ["warn", "A step-up failed"],
  "password_confirmation.failed": ["warn", "A password was not confirmed"],
  "recovery.failed": ["warn", "The recovery of a second factor was refused"],
  "password_reset.failed": ["warn", "A password reset was refused"],
  "sign_out.succeeded": ["info", "Signed out"],
  "credential.revoked": ["info", "Revoked"],
  "api_key.refused": ["warn", "An API key was refused"],
  "session.refused": ["warn", "A request without a live session was refused"],
  "origin.refused": ["warn", "A request from a page of another site was refused"],
  "access.refused": ["warn", "A request was refused to whoever may not make it"],
  "metrics.refused": ["warn", "A scrape of metrics was refused"],
  "notice.signature_refused": ["warn", "A notice with a bad signature was refused"],
  "operator.act": ["info", "An operator acts"],
  "log.lines_left_out": ["warn", "Lines were left out"],
} as const satisfies Readonly<Record<string, readonly ["info" | "warn", string]>>

/** The name of a security line. */
export type SecurityEvent = keyof typeof securityEvents

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
