import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { MemberStore } from "../../../actors/ports/memberStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { changedByOthers, decideAndCommit, stale } from "../../../actors/runtime/decideAndCommit.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { foldAddress } from "../../../actors/values/emailAddress.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import { Settings } from "../../config/settings.ts"
import type { InviteEntity } from "../../store/invites.ts"
import type { UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import { emailTaken } from "../sellers/sellers.ts"
import { KnownDevices } from "../sessions/knownDevices.ts"
import type { SignInOrigin } from "../sessions/session.ts"
import { Sessions } from "../sessions/sessions.ts"
import { Team } from "../team/team.ts"
import { isTeamToken } from "../team/teamInvites.ts"
import { checkNewAddress } from "./addressRules.ts"
import { EmailVerification } from "./emailVerification.ts"
import { userAsker } from "./fairWaitingRoom.ts"
import { Invites } from "./invites.ts"
import { checkNewPassword } from "./passwordRules.ts"
import { Passwords } from "./passwords.ts"
import { newUser, newUserId, Users } from "./users.ts"

/** A sign-up; the contract has checked the fields. */
export interface SignUpRequest {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly inviteToken: string
  readonly origin: SignInOrigin
}

/** Signs users up by invite (docs/contract/accounts.md#sign-up). */
export class SignUp extends Context.Service<
  SignUp,
  {
    /**
     * Creates a user with its seller and first session, and uses the invite in the same commit; by an invitation to a team, a user
     * that is a member there, with a verified address. Mails others a link that verifies it. Fails with 400 at `invite_token`
     * (unknown, used, revoked, expired), `email` (the invite is for another, or no account may have it) or `password` (common, or
     * made of names), and with 409 `invalid_state` at `email` if it is taken.
     */
    readonly signUp: (
      request: SignUpRequest,
    ) => Effect.Effect<
      { readonly user: UserEntity; readonly token: string },
      ApiError<"invalid_state" | "service_unavailable" | "validation_failed"> | StoreUnavailable
    >
  }
>()("corrente/accounts/SignUp") {}

const inviteUnusable = (): ApiError<"validation_failed"> =>
  validationFailed("invite_token", "This invite is unknown, expired, used or revoked. Ask for a new one.")

const inviteOfAnother = (): ApiError<"validation_failed"> =>
  validationFailed("email", "This invite is for another e-mail address. Sign up with the one it was sent to.")

const make = Effect.gen(function* () {
  const sellers = yield* SellerStore
  const members = yield* MemberStore
  const users = yield* Users
  const sessions = yield* Sessions
  const invites = yield* Invites
  const team = yield* Team
  const passwords = yield* Passwords
  const verification = yield* EmailVerification
  const known = yield* KnownDevices
  const { termsVersion } = yield* Settings

  const check = Effect.fnUntraced(function* ({ name, email, password }: SignUpRequest) {
    yield* checkNewAddress(email)
    yield* checkNewPassword("password", password, { email, names: [name] })
    if ((yield* users.findByEmail(email)) !== undefined) return yield* emailTaken()
  })

  /** A new user, not yet written; `invited` names whose place in the queue of passwords it takes. */
  const draw = Effect.fnUntraced(function* ({ name, email, password }: SignUpRequest, invited: string) {
    const passwordHash = yield* passwords.hash(password, userAsker(invited))
    const nowMillis = yield* Clock.currentTimeMillis
    const id = newUserId(email)
    const user: UserEntity = {
      ...newUser({ id, email, name, role: "seller", passwordHash, nowMillis }),
      termsVersion,
    }
    return user
  })

  /** Writes a user with its first session, and uses the invite of one who opens an account. */
  const write = Effect.fnUntraced(function* (
    user: UserEntity,
    origin: SignInOrigin,
    invite: InviteEntity | undefined,
  ) {
    const { token, write } = yield* sessions.prepare(user, origin, { rememberMe: false, mfaVerified: false })
    const { kind } = yield* users.create(user, { invite, session: write })
    if (kind === "emailTaken") return yield* emailTaken()
    if (kind === "inviteUnusable") return yield* inviteUnusable()
    return token
  })

  /** Lets a new seller name its user, unless it names one that exists: of several tries, the first to make its user owns it. */
  const own = (sellerId: string, ownerId: string) =>
    decideAndCommit({
      read: members.load(sellerId),
      attempt: Effect.fnUntraced(function* (team) {
        if (team === undefined || team.ownerId === ownerId) return
        if ((yield* users.find(team.ownerId)) !== undefined) return
        const change = { team, operation: randomUUID(), written: [], removed: [], ownerId }
        const { kind } = yield* askAgain(members.change(change))
        if (kind === "stale") return stale
      }),
      giveUp: () => changedByOthers("team"),
    })

  /** Gives the seller to whoever has the address, after a try that made no user and may have named its own meanwhile. */
  const yieldSeller = Effect.fnUntraced(function* (sellerId: string, email: string) {
    const winner = yield* users.findByEmail(email)
    if (winner?.sellerId === sellerId) yield* own(sellerId, winner.id)
  })

  const openAccount = Effect.fnUntraced(function* (request: SignUpRequest) {
    const { name, email, origin } = request
    const invite = yield* invites.usable(request.inviteToken)
    if (invite === undefined) return yield* inviteUnusable()
    if (foldAddress(invite.email) !== foldAddress(email)) return yield* inviteOfAnother()
    yield* check(request)
    const { sellerId } = invite
    const user = { ...(yield* draw(request, invite.id)), sellerId }
    const createdAt = new Date(user.createdAtMillis).toISOString()
    // The invite holds its id, so a second try finds the seller that the first one created, for a user that is nobody.
    const seller = newStoredSeller({ id: sellerId, name, userId: user.id, kycStatus: "none", createdAt })
    yield* askAgain(sellers.create(seller, [], undefined))
    yield* own(sellerId, user.id)
    const token = yield* Effect.tapError(write(user, origin, invite), () => yieldSeller(sellerId, email))
    // Another try may have named its user before this one existed.
    yield* own(sellerId, user.id)
    return { user, token }
  })

  const joinTeam = Effect.fnUntraced(function* (request: SignUpRequest) {
    const invitation = yield* team.openFor(request.inviteToken, request.email, "invite_token")
    yield* check(request)
    // Only the mailbox of the address got the token: nothing is left to prove by another mail.
    const user = { ...(yield* draw(request, invitation.member.id)), emailVerified: true }
    const token = yield* write(user, request.origin, undefined)
    return { user: yield* team.join(user, invitation, "invite_token"), token }
  })

  return SignUp.of({
    signUp: Effect.fnUntraced(function* (request) {
      const signedUp = yield* isTeamToken(request.inviteToken) ? joinTeam(request) : openAccount(request)
      yield* known.remember(signedUp.user.id, request.origin.ipAddress)
      if (!signedUp.user.emailVerified) yield* verification.send(signedUp.user)
      return signedUp
    }),
  })
})

export const SignUpLive = Layer.effect(SignUp, make)
