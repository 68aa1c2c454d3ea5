import { randomUUID } from "node:crypto"
import { Clock, Context, Effect, Layer, Random } from "effect"
import { generateSecret } from "otplib"
import { Identifiers } from "../../actors/ports/identifiers.ts"
import { SellerStore, type StoredSeller } from "../../actors/ports/sellerStore.ts"
import type { StoreUnavailable } from "../../actors/ports/store.ts"
import { ApiError, serviceUnavailable } from "../../schema/errors.ts"
import { limits } from "../../schema/limits.ts"
import { Email } from "../../schema/resources/transaction.ts"
import { Settings } from "../config/settings.ts"
import { AccountSecrets } from "./accountSecrets.ts"
import { newApiKey } from "./apiKeySecret.ts"
import { askAgain } from "./askAgain.ts"
import { checkField, textOf } from "./checkField.ts"
import { Passwords } from "./passwords.ts"
import { Users } from "./users.ts"

/** Who is to be a seller. */
export interface NewSeller {
  readonly email: string
  /** 12 to 256 characters (spec 8, decisions 4). */
  readonly password: string
  /** 1 to 120 characters; the user's and the seller's. */
  readonly name: string
  readonly kycStatus: StoredSeller["kycStatus"]
}

/** A seller just made, with all that is shown once and never again (decisions 6). */
export interface CreatedSeller {
  readonly user_id: string
  readonly seller_id: string
  /** Base32, for an authenticator. */
  readonly totp_secret: string
  /** `live` only with approved KYC (spec 4.5). */
  readonly api_keys: { readonly live: string | null; readonly test: string }
  readonly postback_secret: string
}

/** Makes sellers and their users. */
export class Sellers extends Context.Service<
  Sellers,
  {
    /**
     * A seller with its user (2FA on), a "Default" key of each mode it may use, and a postback secret. Fails with 400
     * `validation_failed` at `email`, `password` or `name`, and with 409 `invalid_state` at `email` when it is taken.
     */
    readonly create: (input: NewSeller) => Effect.Effect<CreatedSeller, ApiError | StoreUnavailable>
  }
>()("corrente/accounts/Sellers") {}

const { nameLengthMax, passwordLengthMax, passwordLengthMin } = limits

const check = ({ email, password, name }: NewSeller): Effect.Effect<void, ApiError> =>
  Effect.all(
    [
      checkField(
        "email",
        Email,
        email,
        `an e-mail address of at most ${limits.customerEmailLengthMax} characters`,
      ),
      checkField(
        "password",
        textOf(passwordLengthMin, passwordLengthMax),
        password,
        `${passwordLengthMin} to ${passwordLengthMax} characters long`,
      ),
      checkField("name", textOf(1, nameLengthMax), name, `1 to ${nameLengthMax} characters long`),
    ],
    { discard: true },
  )

const emailTaken = (): ApiError =>
  new ApiError({
    code: "invalid_state",
    param: "email",
    message:
      "An account with this e-mail address exists. Use another address. (If its creation was interrupted just now, " +
      "the address is free again in two minutes.)",
  })

const tookTooLong = (): ApiError =>
  serviceUnavailable("The account was not created: it took too long. Try again in two minutes.", 120)

/** The partition of a new seller: each of `partitions` is as likely (design 3). */
export const drawPartition = (partitions: number): Effect.Effect<number> =>
  Random.nextIntBetween(0, partitions, { halfOpen: true })

/** The seller without what is shown once. */
const sellerOf = (id: string, userId: string, input: NewSeller, createdAt: string): StoredSeller => ({
  id,
  name: input.name,
  userId,
  status: "active",
  kycStatus: input.kycStatus,
  settings: { chargeFeeBps: 0, chargeFeeFixed: 0 },
  createdAt,
})

interface Drawing {
  readonly partitions: number
  readonly identifiers: Identifiers["Service"]
  readonly secrets: AccountSecrets["Service"]
}

/** Draws ids and secrets of a seller; writes nothing. */
const drawSeller = Effect.fnUntraced(function* (drawing: Drawing, input: NewSeller) {
  const { identifiers, secrets } = drawing
  const nowMillis = yield* Clock.currentTimeMillis
  const partition = yield* drawPartition(drawing.partitions)
  const keyOf = (mode: "live" | "test") =>
    newApiKey(identifiers, { mode, partition, name: "Default", nowMillis })
  const test = keyOf("test")
  const live = input.kycStatus === "approved" ? keyOf("live") : undefined
  const created: CreatedSeller = {
    user_id: randomUUID(),
    seller_id: identifiers.id("sel_", partition, nowMillis),
    totp_secret: generateSecret(),
    api_keys: { live: live?.key ?? null, test: test.key },
    postback_secret: secrets.signingSecret(),
  }
  const keys = live === undefined ? [test.record] : [live.record, test.record]
  return { created, keys, nowMillis, createdAt: new Date(nowMillis).toISOString() }
})

export const SellersLive = Layer.effect(
  Sellers,
  Effect.gen(function* () {
    const store = yield* SellerStore
    const users = yield* Users
    const passwords = yield* Passwords
    const secrets = yield* AccountSecrets
    const { partitions } = yield* Settings
    const drawing = { partitions, identifiers: yield* Identifiers, secrets }

    const create = Effect.fnUntraced(function* (input: NewSeller) {
      yield* check(input)
      const { created, keys, nowMillis, createdAt } = yield* drawSeller(drawing, input)
      const { user_id: userId, seller_id: sellerId } = created
      if (!(yield* askAgain(users.claimEmail(input.email, userId)))) return yield* emailTaken()

      const passwordHash = yield* passwords.hash(input.password)
      const seller = sellerOf(sellerId, userId, input, createdAt)
      // The id is new and ours alone: one that exists was written by this very call, whose reply was lost.
      yield* askAgain(store.create(seller, keys, secrets.seal(created.postback_secret)))
      const user = {
        id: userId,
        email: input.email,
        name: input.name,
        role: "seller" as const,
        sellerId,
        passwordHash,
        totpSecret: secrets.seal(created.totp_secret),
        twoFactorEnabled: true,
        emailVerified: true,
        createdAt,
      }
      yield* askAgain(users.save(user))

      const tookMillis = (yield* Clock.currentTimeMillis) - nowMillis
      if (tookMillis > limits.accountCreationMillisMax) return yield* tookTooLong()
      const isOurs = yield* askAgain(users.confirmEmail(input.email, userId))
      return isOurs ? created : yield* tookTooLong()
    })
    return Sellers.of({ create })
  }),
)
