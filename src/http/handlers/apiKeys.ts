import { Clock, Effect } from "effect"
import { type ApiKeyAccess, inOrder } from "../../../actors/values/apiKeyAccess.ts"
import type { apiKeysGroup } from "../../../schema/api/apiKeys.ts"
import { type ApiKeyScope, apiKeyScopes } from "../../../schema/apiKeyScopes.ts"
import { validationFailed } from "../../../schema/errors.ts"
import { readAddressRange } from "../../accounts/apiKeys/allowedAddresses.ts"
import { ApiKeyManagement, type MadeApiKey } from "../../accounts/apiKeys/apiKeyManagement.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { SecurityNotices } from "../../accounts/securityNotices.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { ofOwnSeller } from "../../accounts/sellers/sellerChanges.ts"
import type { Session } from "../../accounts/sessions/session.ts"
import { stepUpRequired } from "../../accounts/twoFactor/twoFactorErrors.ts"
import { mustMay } from "../contract/sessionGuard.ts"
import type { GroupHandlers } from "../server/request.ts"

/** What a new key may do and from where. Addresses that come twice count once, as scopes do. */
const readAccess = Effect.fnUntraced(function* (asked: {
  readonly scopes?: ReadonlyArray<ApiKeyScope>
  readonly allowed_ips?: ReadonlyArray<string>
}) {
  const allowedIps = new Set<string>()
  for (const [i, text] of (asked.allowed_ips ?? []).entries()) {
    const range = readAddressRange(text)
    if (range === undefined) {
      const param = `allowed_ips.${i}`
      return yield* validationFailed(
        param,
        `${param} must be an IPv4 or IPv6 address, or a CIDR range such as 203.0.113.0/24.`,
      )
    }
    allowedIps.add(range)
  }
  const access: ApiKeyAccess = { scopes: inOrder(asked.scopes ?? apiKeyScopes), allowedIps: [...allowedIps] }
  return access
})

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

    createApiKey: Effect.fnUntraced(function* ({ payload, principal, session }) {
      const { mode, name } = payload
      const access = yield* readAccess(payload)
      const details = { mode, name, scopes: access.scopes, limited_addresses: access.allowedIps.length > 0 }
      if (mode === "live") {
        yield* mustMay(session, "owning")
        yield* confirmFirst(session, principal.sellerId)
      }
      const made = yield* audit.does(
        principal,
        { action: "api_key.created", resourceType: "api_key", details },
        ofOwnSeller(keys.create(principal.sellerId, { mode, name, access })),
      )
      return yield* answerMade(session, made)
    }),

    rotateApiKey: Effect.fnUntraced(function* ({ params, principal, session }) {
      const isLive = (yield* keys.list(principal.sellerId, "live")).some(({ id }) => id === params.id)
      if (isLive) yield* mustMay(session, "owning")
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
      if (principal.mode === "live") yield* mustMay(session, "owning")
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
