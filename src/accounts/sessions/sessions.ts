import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { ApiKeyStore } from "../../../actors/ports/apiKeyStore.ts"
import { MemberStore } from "../../../actors/ports/memberStore.ts"
import type { Membership } from "../../../actors/values/membership.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import { accountSlotOfUser } from "../../store/keys.ts"
import { makeSessionStore, type SessionEntity, type SessionToWrite } from "../../store/sessions.ts"
import type { UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import { hashToken, newAccountToken, parseAccountToken } from "../users/accountTokenStore.ts"
import type { Session, SignInOrigin } from "./session.ts"

/** A session about to be written, and its token, which only the cookie will hold. */
export interface PreparedSession {
  readonly token: string
  readonly write: SessionToWrite
}

/** The owner of a session. */
export interface SessionOwner {
  readonly userId: string
  readonly sellerId: string | undefined
}

/** How long a session lasts without use, in ms (`SESSION_IDLE_SECONDS`). */
export const SessionIdle = Context.Reference<number>("corrente/accounts/SessionIdle", {
  defaultValue: () => limits.sessionIdleMillis,
})

/** Dashboard sessions (docs/contract/accounts.md#sessions). */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** Prepares a session of a user; writes nothing. `mfaVerified`: a second factor was just given. */
    readonly prepare: (
      user: UserEntity,
      origin: SignInOrigin,
      options: { readonly rememberMe: boolean; readonly mfaVerified: boolean },
    ) => Effect.Effect<PreparedSession>
    /**
     * Begins a session after the password of `user` was verified; undefined if since then the password has changed, or
     * the user was disabled or signed out by operators.
     */
    readonly begin: (
      user: UserEntity,
      origin: SignInOrigin,
      options: { readonly rememberMe: boolean; readonly mfaVerified: boolean },
    ) => Effect.Effect<{ readonly token: string } | undefined, StoreUnavailable>
    /**
     * The live session of a token; undefined if there is none, or it expired, ended, or was not used for too long. Updates
     * when it was last seen, once a minute at most. For a while the token before leads to it, too.
     */
    readonly find: (token: string | undefined) => Effect.Effect<Session | undefined, StoreUnavailable>
    /** Whether a session goes on as it was found, whatever its token is now: of a user who left its team, or has another role in it, it does not. */
    readonly isLive: (session: Session) => Effect.Effect<boolean, StoreUnavailable>
    /**
     * Ends a session whose browser has signed in anew. Where both sessions are of one user, requests that are under way go
     * on as the new one. Never fails: what could not be ended is logged.
     */
    readonly replace: (
      session: Session,
      by: { readonly userId: string; readonly token: string },
    ) => Effect.Effect<void>
    /** A user's live sessions, newest first. */
    readonly list: (userId: string) => Effect.Effect<ReadonlyArray<Session>, StoreUnavailable>
    /**
     * Ends a session of a user, and the event streams of the user; false if there is no such session. The streams end
     * also where it fails, because the session may have ended.
     */
    readonly end: (
      owner: SessionOwner,
      session: { readonly id: string; readonly tokenHash?: string },
    ) => Effect.Effect<boolean, StoreUnavailable>
    /** Ends all sessions of the user but this one, and the event streams of the user. */
    readonly endOthers: (session: Session) => Effect.Effect<void, StoreUnavailable>
    /** Ends the event streams of a user because sessions ended; clients of live sessions reconnect. */
    readonly endStreams: (owner: SessionOwner) => Effect.Effect<void>
  }
>()("corrente/accounts/Sessions") {}

/** A session as its callers see it; without a membership, its user is in no team. */
export const sessionOf = (
  entity: SessionEntity,
  tokenHash: string,
  membership: Membership | undefined,
): Session => ({
  id: entity.id,
  tokenHash,
  userId: entity.userId,
  role: entity.role,
  sellerId: membership === undefined ? undefined : entity.sellerId,
  membership,
  ipAddress: entity.ipAddress,
  userAgent: entity.userAgent,
  rememberMe: entity.rememberMe,
  createdAtMillis: entity.createdAtMillis,
  expiresAtMillis: entity.expiresAtMillis,
  lastSeenAtMillis: entity.lastSeenAtMillis,
  mfaVerifiedUntilMillis: entity.mfaVerifiedUntilMillis,
})

/** A session before its token is drawn. */
const entityOf = (
  user: UserEntity,
  { ipAddress, userAgent }: SignInOrigin,
  options: { readonly rememberMe: boolean; readonly mfaVerified: boolean },
  nowMillis: number,
): SessionEntity => ({
  id: randomUUID(),
  userId: user.id,
  role: user.role,
  ...(user.sellerId === undefined ? {} : { sellerId: user.sellerId }),
  ...(user.memberId === undefined ? {} : { memberId: user.memberId }),
  ...(ipAddress === undefined ? {} : { ipAddress }),
  ...(userAgent === undefined ? {} : { userAgent: userAgent.slice(0, limits.userAgentLengthMax) }),
  rememberMe: options.rememberMe,
  ...(user.signOuts === undefined ? {} : { signOuts: user.signOuts }),
  createdAtMillis: nowMillis,
  expiresAtMillis: nowMillis + (options.rememberMe ? limits.rememberedSessionMillis : limits.sessionMillis),
  lastSeenAtMillis: nowMillis,
  mfaVerifiedUntilMillis: options.mfaVerified ? nowMillis + limits.stepUpMillis : 0,
})

export const SessionsLive = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const store = yield* makeSessionStore
    const apiKeys = yield* ApiKeyStore
    const members = yield* MemberStore

    const idleMillis = yield* SessionIdle
    const idleMillisOf = (role: Session["role"]) =>
      role === "admin" ? Math.min(limits.operatorIdleMillis, idleMillis) : idleMillis

    /** A session by its token's hash, if it is live. */
    const fetch = Effect.fnUntraced(function* (slot: number, tokenHash: string) {
      const found = yield* store.find(slot, tokenHash)
      if (found === undefined) return undefined
      const nowMillis = yield* Clock.currentTimeMillis
      const { expiresAtMillis, lastSeenAtMillis, memberId, role, sellerId, userId } = found.entity
      if (expiresAtMillis <= nowMillis || lastSeenAtMillis + idleMillisOf(role) <= nowMillis) return undefined
      // Read each time: what the seller's team says counts at once, in every process.
      const membership =
        sellerId === undefined ? undefined : yield* members.membershipOf(sellerId, userId, memberId)
      const isUnderFormerToken = found.tokenHash !== tokenHash
      return {
        ...sessionOf(found.entity, found.tokenHash, membership),
        ...(isUnderFormerToken ? { isUnderFormerToken } : {}),
      }
    })

    /** Streams end by themselves when the store does not answer. */
    const endStreams = ({ userId, sellerId }: SessionOwner) =>
      sellerId === undefined
        ? Effect.void
        : askAgain(apiKeys.announceRevocation(sellerId, userId)).pipe(
            Effect.catch(({ reason }) =>
              Effect.logWarning(`streams of ended sessions may continue: ${reason}`),
            ),
          )

    const list = Effect.fnUntraced(function* (userId: string) {
      const slot = accountSlotOfUser(userId)
      const found = yield* Effect.forEach(yield* store.tokenHashesOf(userId), (hash) => fetch(slot, hash), {
        concurrency: "unbounded",
      })
      return found
        .filter((session) => session !== undefined)
        .sort((one, other) => other.createdAtMillis - one.createdAtMillis)
    })

    const prepare: Sessions["Service"]["prepare"] = Effect.fnUntraced(function* (user, origin, options) {
      const entity = entityOf(user, origin, options, yield* Clock.currentTimeMillis)
      const { token, tokenHash } = newAccountToken(accountSlotOfUser(user.id))
      const { expiresAtMillis } = entity
      return { token, write: { tokenHash, expiresAtMillis, fields: yield* store.fieldsOf(entity) } }
    })

    const end: Sessions["Service"]["end"] = Effect.fnUntraced(function* (owner, session) {
      let isUnknown = false
      const ending = Effect.tapError(store.end(owner.userId, session), () =>
        Effect.sync(() => {
          isUnknown = true
        }),
      )
      // An attempt whose reply was lost may have ended it, so the streams end even where nobody learns whether it did.
      const { kind } = yield* Effect.onError(askAgain(ending), () => endStreams(owner))
      // A retry after a lost reply finds the session gone that was just ended.
      const isEnded = kind === "ended" || isUnknown
      if (isEnded) yield* endStreams(owner)
      return isEnded
    })

    return Sessions.of({
      prepare,
      begin: Effect.fnUntraced(function* (user, origin, options) {
        const { token, write } = yield* prepare(user, origin, options)
        const { kind } = yield* askAgain(store.create(user.id, user.passwordHash, write))
        return kind === "created" ? { token } : undefined
      }),
      find: Effect.fnUntraced(function* (token) {
        const parsed = parseAccountToken(token)
        if (parsed === undefined) return undefined
        const session = yield* fetch(parsed.slot, parsed.tokenHash)
        if (session === undefined) return undefined
        const nowMillis = yield* Clock.currentTimeMillis
        // Of a short time without use a tenth, so that a session in use does not end.
        const stepMillis = Math.min(limits.lastSeenStepMillis, idleMillisOf(session.role) / 10)
        if (nowMillis - session.lastSeenAtMillis < stepMillis) return session
        yield* store.touch(parsed.slot, session.tokenHash, nowMillis)
        return { ...session, lastSeenAtMillis: nowMillis }
      }),
      isLive: Effect.fnUntraced(function* ({ id, userId, tokenHash, sellerId, membership }) {
        const found =
          (yield* fetch(accountSlotOfUser(userId), tokenHash)) ??
          (yield* list(userId)).find((session) => session.id === id)
        return (
          found !== undefined && found.sellerId === sellerId && found.membership?.role === membership?.role
        )
      }),
      replace: (session, { userId, token }) =>
        (session.userId === userId
          ? Effect.asVoid(askAgain(store.replace(userId, session.tokenHash, hashToken(token))))
          : Effect.asVoid(end(session, session))
        ).pipe(
          Effect.catch(({ reason }) =>
            Effect.logWarning(`a session that another one replaced may go on: ${reason}`),
          ),
        ),
      list,
      end,
      endStreams,
      endOthers: (session) =>
        Effect.andThen(askAgain(store.endOthers(session.userId, session.tokenHash)), endStreams(session)),
    })
  }),
)
