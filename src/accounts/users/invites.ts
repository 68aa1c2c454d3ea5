import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError, resourceNotFound } from "../../../schema/errors.ts"
import { isId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Invite, inviteStatuses } from "../../../schema/resources/operator.ts"
import { Settings } from "../../config/settings.ts"
import { type InviteEntity, makeInviteStore } from "../../store/invites.ts"
import { accountSlotOfEmail } from "../../store/keys.ts"
import { askAgain } from "../askAgain.ts"
import { drawPartition } from "../sellers/sellers.ts"
import { checkNewAddress } from "./addressRules.ts"
import { Users } from "./users.ts"

type InviteStatus = (typeof inviteStatuses)[number]

/**
 * Invites to sign up: each for one e-mail address, once, within seven days (docs/contract/accounts.md#invites). Their
 * tokens are stored as SHA-256.
 */
export class Invites extends Context.Service<
  Invites,
  {
    /**
     * A new invite and its token, which is shown this once. Fails with 400 at `email` if no account may have the
     * address, and with 409 `invalid_state` if one has it.
     */
    readonly create: (
      email: string,
      createdBy: string | undefined,
    ) => Effect.Effect<
      { readonly invite: Invite; readonly token: string },
      ApiError<"invalid_state" | "validation_failed"> | StoreUnavailable
    >
    /** The invite of a token that can be used now; else undefined. */
    readonly usable: (token: string) => Effect.Effect<InviteEntity | undefined, StoreUnavailable>
    /** Up to `count` invites below an id, newest first; those that have ended are left out. */
    readonly list: (
      beforeId: string | undefined,
      count: number,
    ) => Effect.Effect<ReadonlyArray<Invite>, StoreUnavailable>
    /** Fails with 404 if it is unknown, 409 `invalid_state` if it was used. */
    readonly revoke: (
      inviteId: string,
    ) => Effect.Effect<void, ApiError<"invalid_state" | "resource_not_found"> | StoreUnavailable>
    /** Fails as `revoke` would. */
    readonly checkRevocable: (
      inviteId: string,
    ) => Effect.Effect<void, ApiError<"invalid_state" | "resource_not_found"> | StoreUnavailable>
  }
>()("corrente/accounts/Invites") {}

const tokenPattern = /^([0-9A-HJKMNP-TV-Z]{26})([A-Za-z0-9_-]{43})$/

const hashOf = (token: string): string => hash("sha256", token, "base64url")

const isOfToken = (invite: InviteEntity, token: string): boolean =>
  timingSafeEqual(Buffer.from(hashOf(token)), Buffer.from(invite.tokenHash))

const statusOf = (invite: InviteEntity, nowMillis: number): InviteStatus => {
  if (invite.usedAtMillis !== undefined) return "used"
  if (invite.revokedAtMillis !== undefined) return "revoked"
  return invite.expiresAtMillis <= nowMillis ? "expired" : "pending"
}

const isoOrNull = (millis: number | undefined): string | null =>
  millis === undefined ? null : new Date(millis).toISOString()

/** An invite as operators see it. */
const resourceOf = (invite: InviteEntity, nowMillis: number): Invite => ({
  id: invite.id,
  email: invite.email,
  status: statusOf(invite, nowMillis),
  created_at: new Date(invite.createdAtMillis).toISOString(),
  expires_at: new Date(invite.expiresAtMillis).toISOString(),
  used_at: isoOrNull(invite.usedAtMillis),
  revoked_at: isoOrNull(invite.revokedAtMillis),
})

const hasAccount = (): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    param: "email",
    message: "An account with this e-mail address exists already; there is nobody to invite.",
  })

const wasUsed = (): ApiError<"invalid_state"> =>
  new ApiError({ code: "invalid_state", message: "This invite was used. Suspend the seller instead." })

export const InvitesLive = Layer.effect(
  Invites,
  Effect.gen(function* () {
    const store = yield* makeInviteStore
    const users = yield* Users
    const identifiers = yield* Identifiers
    const { partitions } = yield* Settings

    const checkRevocable = Effect.fnUntraced(function* (inviteId: string) {
      const invite = isId("inv_", inviteId) ? yield* store.find(inviteId) : undefined
      if (invite === undefined) return yield* resourceNotFound("invite", inviteId)
      if (invite.usedAtMillis !== undefined) return yield* wasUsed()
    })

    const draw = Effect.fnUntraced(function* (email: string, createdBy: string | undefined) {
      const nowMillis = yield* Clock.currentTimeMillis
      const id = identifiers.id("inv_", accountSlotOfEmail(email), nowMillis)
      const token = id.slice("inv_".length) + randomBytes(33).toString("base64url").slice(0, 43)
      const invite: InviteEntity = {
        id,
        email,
        tokenHash: hashOf(token),
        sellerId: identifiers.id("sel_", yield* drawPartition(partitions), nowMillis),
        ...(createdBy === undefined ? {} : { createdBy }),
        createdAtMillis: nowMillis,
        expiresAtMillis: nowMillis + limits.inviteTokenMillis,
      }
      return { invite, token, nowMillis }
    })

    return Invites.of({
      checkRevocable,
      create: Effect.fnUntraced(function* (email, createdBy) {
        yield* checkNewAddress(email)
        if ((yield* users.findByEmail(email)) !== undefined) return yield* hasAccount()
        const { invite, token, nowMillis } = yield* draw(email, createdBy)
        yield* askAgain(store.enlist(invite.id))
        yield* askAgain(store.create(invite))
        return { invite: resourceOf(invite, nowMillis), token }
      }),
      usable: Effect.fnUntraced(function* (token) {
        const [, body] = tokenPattern.exec(token) ?? []
        const id = `inv_${body}`
        if (body === undefined || !isId("inv_", id)) return undefined
        const invite = yield* store.find(id)
        if (invite === undefined || !isOfToken(invite, token)) return undefined
        return statusOf(invite, yield* Clock.currentTimeMillis) === "pending" ? invite : undefined
      }),
      list: Effect.fnUntraced(function* (beforeId, count) {
        const nowMillis = yield* Clock.currentTimeMillis
        const found = yield* store.list(beforeId, count)
        return found.map((invite) => resourceOf(invite, nowMillis))
      }),
      revoke: Effect.fnUntraced(function* (inviteId) {
        yield* checkRevocable(inviteId)
        const { kind } = yield* askAgain(store.revoke(inviteId))
        if (kind === "used") return yield* wasUsed()
        if (kind === "missing") return yield* resourceNotFound("invite", inviteId)
      }),
    })
  }),
)
