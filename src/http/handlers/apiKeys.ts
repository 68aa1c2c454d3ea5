import { Clock, Effect } from "effect"
import type { apiKeysGroup } from "../../../schema/api/apiKeys.ts"
import { ApiKeyManagement, type MadeApiKey } from "../../accounts/apiKeys/apiKeyManagement.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { SecurityNotices } from "../../accounts/securityNotices.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { ofOwnSeller } from "../../accounts/sellers/sellerChanges.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { stepUpRequired } from "../../accounts/twoFactor/twoFactorErrors.ts"
import type { GroupHandlers } from "../server/request.ts"

/** Routes of API keys. */
export const makeApiKeyHandlers = Effect.gen(function* () {
  const keys = yield* ApiKeyManagement
  const log = yield* SecurityLog
  const audit = yield* SellerAudit
  const notices = yield* SecurityNotices

  /** Notifies the user of a new key, then answers it. */
  const answerMade = (session: Session, made: MadeApiKey) =>
    Effect.as(
      notices.tell(session.userId, { kind: "api_key_created", mode: made.mode, prefix: made.key_prefix }),
      { status: 201, body: JSON.stringify(made) },
    )

  /** The first live key opens real money, so no preference spares its step-up: 403 `mfa_required`. */
  const confirmFirst = Effect.fnUntraced(function* (session: Session, sellerId: string) {
    if (session.mfaVerifiedUntilMillis > (yield* Clock.currentTimeMillis)) return
    if ((yield* keys.list(sellerId, "live")).length === 0) return yield* stepUpRequired()
  })

  const handlers: GroupHandlers<typeof apiKeysGroup> = {
    listApiKeys: ({ principal }) =>
      Effect.map(keys.list(principal.sellerId, principal.mode), (data) => ({
        status: 200,
        body: JSON.stringify({ data }),
      })),

    createApiKey: Effect.fnUntraced(function* ({ payload: { mode, name }, principal, session }) {
      if (mode === "live") yield* confirmFirst(session, principal.sellerId)
      const made = yield* audit.does(
        principal,
        { action: "api_key.created", resourceType: "api_key", details: { mode, name } },
        ofOwnSeller(keys.create(principal.sellerId, mode, name)),
      )
      return yield* answerMade(session, made)
    }),

    rotateApiKey: Effect.fnUntraced(function* ({ params, principal, session }) {
      const made = yield* audit.does(
        principal,
        { action: "api_key.rotated", resourceType: "api_key" },
        keys.rotate(principal.sellerId, params.id),
      )
      const reason = `rotated, ends at ${made.old_key_revoke_at}`
      yield* log.revoked("API key", { userId: session.userId, id: params.id }, reason)
      return yield* answerMade(session, made)
    }),

    deleteApiKey: Effect.fnUntraced(function* ({ params, principal, session }) {
      yield* audit.does(
        principal,
        { action: "api_key.deleted", resourceType: "api_key", details: { mode: principal.mode } },
        keys.delete(principal.sellerId, principal.mode, params.id),
      )
      yield* log.revoked("API key", { userId: session.userId, id: params.id }, "deleted")
      return { status: 204, body: "" }
    }),
  }
  return handlers
})
