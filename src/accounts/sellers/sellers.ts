import { Clock, Context, Effect, Layer, Random } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { SellerStore, type StoredSeller } from "../../../actors/ports/sellerStore.ts"
import { newStoredSeller } from "../../../actors/seller/decisions/newSeller.ts"
import { readDocument } from "../../../actors/seller/decisions/sellerDecisions.ts"
import { fullAccess } from "../../../actors/values/apiKeyAccess.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { ApiError } from "../../../schema/errors.ts"
import { limits } from "../../../schema/limits.ts"
import { DisplayName } from "../../../schema/resources/account.ts"
import { Email, TaxDocument } from "../../../schema/resources/transaction.ts"
import { Settings } from "../../config/settings.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { newApiKey } from "../apiKeys/apiKeySecret.ts"
import { askAgain } from "../askAgain.ts"
import { checkField, textOf } from "../checkField.ts"
import { newTotpSecret } from "../twoFactor/totp.ts"
import { checkNewAddress } from "../users/addressRules.ts"
import { commandAsker } from "../users/fairWaitingRoom.ts"
import { checkNewPassword } from "../users/passwordRules.ts"
import { Passwords } from "../users/passwords.ts"
import { newUser, newUserId, Users } from "../users/users.ts"
import { sealedPostback } from "../webhookSettings/postbackSecrets.ts"
import { termOfDocument } from "./documentTerm.ts"

/** A seller to create. */
export interface NewSeller {
  readonly email: string
  /** 12 to 256 characters. */
  readonly password: string
  /** 1 to 120 characters; names both user and seller. */
  readonly name: string
  readonly kycStatus: StoredSeller["kycStatus"]
  /** CPF or CNPJ, punctuation allowed; undefined if the profile sets it later. */
  readonly document?: string | undefined
}

/** A new seller, with secrets that are shown this once. */
export interface CreatedSeller {
  readonly user_id: string
  readonly seller_id: string
  /** Base32, for an authenticator. */
  readonly totp_secret: string
  /** `live` only with approved KYC (docs/contract/api-keys.md#create). */
  readonly api_keys: { readonly live: string | null; readonly test: string }
  readonly postback_secret: string
}

/** Creates sellers and their users. */
export class Sellers extends Context.Service<
  Sellers,
  {
    /**
     * A seller with its user (2FA on), a "Default" key in each mode it may use, and a postback secret. Fails with 400
     * `validation_failed` at `email`, `password`, `name` or `document`, and with 409 `invalid_state` at `email` if it
     * is taken.
     */
    readonly create: (
      input: NewSeller,
    ) => Effect.Effect<
      CreatedSeller,
      ApiError<"invalid_state" | "service_unavailable" | "validation_failed"> | StoreUnavailable
    >
  }
>()("corrente/accounts/Sellers") {}

/** Fails with 400 `validation_failed` at `email`, `password` or `name`: no contract has checked them here. */
export const checkPerson = (person: {
  readonly email: string
  readonly password: string
  readonly name: string
}): Effect.Effect<void, ApiError<"validation_failed">> => {
  const { customerEmailLengthMax: emailMax, nameLengthMax, passwordLengthMax, passwordLengthMin } = limits
  const { email, password, name } = person
  const passwordText = textOf(passwordLengthMin, passwordLengthMax)
  const passwordMustBe = `${passwordLengthMin} to ${passwordLengthMax} characters long`
  const emailMustBe = `an e-mail address of at most ${emailMax} characters`
  return Effect.all(
    [
      checkField("email", Email, email, emailMustBe),
      checkNewAddress(email),
      checkField("password", passwordText, password, passwordMustBe),
      checkNewPassword("password", password, { email, names: [name] }),
      checkField("name", DisplayName, name, `1 to ${nameLengthMax} characters without control characters`),
    ],
    { discard: true },
  )
}

/** 409 `invalid_state` at `email`: an address has one account. */
export const emailTaken = (): ApiError<"invalid_state"> =>
  new ApiError({
    code: "invalid_state",
    param: "email",
    message: "An account with this e-mail address exists. Use another address, or sign in.",
  })

/** A random partition for a new seller, all equally likely. */
export const drawPartition = (partitions: number): Effect.Effect<number> =>
  Random.nextIntBetween(0, partitions, { halfOpen: true })

/** The seller without its one-time secrets. */
const sellerOf = (
  id: string,
  userId: string,
  { name, kycStatus }: NewSeller,
  document: string | undefined,
  createdAt: string,
): StoredSeller => newStoredSeller({ id, name, userId, kycStatus, document, createdAt })

/** A document without punctuation; 400 at `document` if it is invalid. */
const bareDocument = Effect.fnUntraced(function* (document: string | undefined) {
  if (document === undefined) return undefined
  yield* checkField("document", TaxDocument, document, "a CPF (11 digits) or a CNPJ (14 characters)")
  const bare = readDocument(document)
  return bare instanceof ApiError ? yield* bare : bare
})

interface Drawing {
  readonly partitions: number
  readonly identifiers: Identifiers["Service"]
  readonly secrets: AccountSecrets["Service"]
}

/** Draws the ids and secrets of a seller; writes nothing. */
const drawSeller = Effect.fnUntraced(function* (drawing: Drawing, input: NewSeller) {
  const { identifiers, secrets } = drawing
  const nowMillis = yield* Clock.currentTimeMillis
  const partition = yield* drawPartition(drawing.partitions)
  const keyOf = (mode: "live" | "test") =>
    newApiKey(identifiers, { mode, partition, name: "Default", access: fullAccess, nowMillis })
  const test = keyOf("test")
  const live = input.kycStatus === "approved" ? keyOf("live") : undefined
  const created: CreatedSeller = {
    user_id: newUserId(input.email),
    seller_id: identifiers.id("sel_", partition, nowMillis),
    totp_secret: newTotpSecret(),
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
      yield* checkPerson(input)
      const bare = yield* bareDocument(input.document)
      if ((yield* users.findByEmail(input.email)) !== undefined) return yield* emailTaken()
      const { created, keys, nowMillis, createdAt } = yield* drawSeller(drawing, input)
      const { user_id: id, seller_id: sellerId } = created
      const { email, name } = input
      const document =
        bare === undefined ? undefined : secrets.seal(bare, sealedPlaces.sellerDocument(sellerId))
      const passwordHash = yield* passwords.hash(input.password, commandAsker)
      // The seller first: a user must never name a missing one. A crash in between leaves an unused seller.
      yield* askAgain(
        store.create(
          sellerOf(sellerId, id, input, document, createdAt),
          keys,
          sealedPostback(secrets, sellerId, created.postback_secret, createdAt),
          bare === undefined ? undefined : termOfDocument(secrets, bare),
        ),
      )
      const { kind } = yield* users.create({
        ...newUser({ id, email, name, role: "seller", passwordHash, nowMillis }),
        sellerId,
        emailVerified: true,
        twoFactorEnabled: true,
        totpSecret: secrets.seal(created.totp_secret, sealedPlaces.totpSecret(id)),
      })
      if (kind === "created") return created
      const keyHashes = keys.map(({ keyHash }) => keyHash)
      yield* askAgain(store.discard(sellerId, keyHashes))
      return yield* emailTaken()
    })
    return Sellers.of({ create })
  }),
)
