import { Clock, Context, Effect, Layer } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { foldAddress } from "../../../actors/values/emailAddress.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import { Settings } from "../../config/settings.ts"
import type { UserEntity } from "../../store/users.ts"
import { askAgain } from "../askAgain.ts"
import { emailTaken } from "../sellers/sellers.ts"
import { KnownDevices } from "../sessions/knownDevices.ts"
import type { SignInOrigin } from "../sessions/session.ts"
import { Sessions } from "../sessions/sessions.ts"
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
     * Creates a user with its seller and first session, and uses the invite in the same commit. Mails a link that
     * verifies the address. Fails with 400 at `invite_token` (unknown, used, revoked, expired), `email` (the invite
     * is for another, or no account may have it) or `password` (common, or made of names), and with 409
     * `invalid_state` at `email` if it is taken.
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

export const SignUpLive = Layer.effect(
  SignUp,
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const users = yield* Users
    const sessions = yield* Sessions
    const invites = yield* Invites
    const passwords = yield* Passwords
    const verification = yield* EmailVerification
    const known = yield* KnownDevices
    const { termsVersion } = yield* Settings

    return SignUp.of({
      signUp: Effect.fnUntraced(function* ({ name, email, password, inviteToken, origin }) {
        const invite = yield* invites.usable(inviteToken)
        if (invite === undefined) return yield* inviteUnusable()
        if (foldAddress(invite.email) !== foldAddress(email)) return yield* inviteOfAnother()
        yield* checkNewAddress(email)
        yield* checkNewPassword("password", password, { email, names: [name] })
        if ((yield* users.findByEmail(email)) !== undefined) return yield* emailTaken()

        const passwordHash = yield* passwords.hash(password, userAsker(invite.id))
        const nowMillis = yield* Clock.currentTimeMillis
        const id = newUserId(email)
        const { sellerId } = invite
        const user: UserEntity = {
          ...newUser({ id, email, name, role: "seller", passwordHash, nowMillis }),
          sellerId,
          termsVersion,
        }
        const createdAt = new Date(nowMillis).toISOString()
        // The invite holds its id, so a second try finds the seller that the first one created.
        yield* askAgain(
          sellers.create(
            newStoredSeller({ id: sellerId, name, userId: id, kycStatus: "none", createdAt }),
            [],
            undefined,
          ),
        )
        const { token, write } = yield* sessions.prepare(user, origin, {
          rememberMe: false,
          mfaVerified: false,
        })
        const { kind } = yield* users.create(user, { invite, session: write })
        if (kind === "emailTaken") return yield* emailTaken()
        if (kind === "inviteUnusable") return yield* inviteUnusable()
        yield* known.remember(user.id, origin.ipAddress)
        yield* verification.send(user)
        return { user, token }
      }),
    })
  }),
)
