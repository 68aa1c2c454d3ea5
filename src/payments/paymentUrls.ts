import { Context, Effect, Layer } from "effect"
import type { EncryptionKeys } from "../crypto/encryptionKeys.ts"
import { makeIdTokens } from "../crypto/idTokens.ts"
import { OwnAddress } from "../mail/ownAddress.ts"

/** Where payers pay charges (docs/contract/payment-page.md#the-link). */
export class PaymentUrls extends Context.Service<
  PaymentUrls,
  {
    /** The token of a charge: the same until ENCRYPTION_KEY has a newer key. Takes 2 us. */
    readonly tokenOf: (chargeId: string) => string
    /** What all links begin with now: PUBLIC_URL or where the service listens, and `/pay/`. */
    readonly prefix: () => string
    /** The page of a token's charge: the prefix and the token. */
    readonly urlOf: (token: string) => string
    /** The charge of a token, under whichever key it was made; undefined if we did not make it. The charge may be gone. */
    readonly chargeOf: (token: string) => string | undefined
  }
>()("corrente/payments/PaymentUrls") {}

/** Links of charges under `keys` (ENCRYPTION_KEY), to the address that `base` returns, without a trailing slash. */
export const makePaymentUrls = (keys: EncryptionKeys, base: () => string): PaymentUrls["Service"] => {
  const { tokenOf, idOf } = makeIdTokens(keys, "payment pages", "txn_")
  let page = { base: "", prefix: "" }
  /** As a URL is written, which needs no escapes in JSON. */
  const prefix = (): string => {
    const now = base()
    if (now !== page.base) page = { base: now, prefix: `${new URL(now).href.replace(/\/+$/, "")}/pay/` }
    return page.prefix
  }
  return {
    tokenOf,
    prefix,
    urlOf: (token) => prefix() + token,
    chargeOf: idOf,
  }
}

/** Links to this service. */
export const PaymentUrlsLive = (keys: EncryptionKeys) =>
  Layer.effect(
    PaymentUrls,
    Effect.map(OwnAddress, ({ base }) => PaymentUrls.of(makePaymentUrls(keys, base))),
  )
