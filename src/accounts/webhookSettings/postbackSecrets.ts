import { Clock, Context, Effect, Layer } from "effect"
import type { PostbackSecret } from "../../../actors/ports/sellerStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { sealedPlaces } from "../../../actors/values/sealedPlaces.ts"
import { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { AccountSecrets } from "../accountSecrets.ts"
import { askAgain } from "../askAgain.ts"

/** The visible prefix of a postback secret: `whsec_` and six of its 43 characters. */
const shownLength = 12

/** A new postback secret of a seller as stored. */
export const sealedPostback = (
  secrets: AccountSecrets["Service"],
  sellerId: string,
  secret: string,
  rotatedAt: string,
): PostbackSecret => ({
  secret: secrets.seal(secret, sealedPlaces.postbackSecret(sellerId)),
  prefix: secret.slice(0, shownLength),
  rotatedAt,
})

/** A postback secret as shown (docs/contract/sellers.md#postback-secret). */
export interface PostbackSecretInfo {
  readonly prefix: string | null
  readonly rotated_at: string | null
  /** Always null: a rotation ends the old secret at once. */
  readonly previous_valid_until: null
}

/** The secret that signs the postbacks and trackers of a seller, in both modes. */
export class PostbackSecrets extends Context.Service<
  PostbackSecrets,
  {
    readonly info: (sellerId: string) => Effect.Effect<PostbackSecretInfo, StoreUnavailable>
    /** Creates a new secret, shown this once; the old one ends at once. */
    readonly rotate: (sellerId: string) => Effect.Effect<{ readonly secret: string }, StoreUnavailable>
  }
>()("corrente/accounts/PostbackSecrets") {}

export const PostbackSecretsLive = Layer.effect(
  PostbackSecrets,
  Effect.gen(function* () {
    const sellers = yield* SellerStore
    const secrets = yield* AccountSecrets

    const rotate = Effect.fnUntraced(function* (sellerId: string) {
      const secret = secrets.signingSecret()
      const rotatedAt = new Date(yield* Clock.currentTimeMillis).toISOString()
      const { kind } = yield* askAgain(
        sellers.rotatePostbackSecret(sellerId, sealedPostback(secrets, sellerId, secret, rotatedAt)),
      )
      if (kind === "rotated") return { secret }
      return yield* new StoreUnavailable({
        operation: "rotate postback secret",
        reason: `no seller ${sellerId}`,
      })
    })

    return PostbackSecrets.of({
      info: (sellerId) =>
        Effect.map(sellers.postbackSecret(sellerId), (found) => ({
          prefix: found?.prefix ?? null,
          rotated_at: found?.rotatedAt ?? null,
          previous_valid_until: null,
        })),
      rotate,
    })
  }),
)
