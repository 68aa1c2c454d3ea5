import { Context, Effect, Layer } from "effect"
import { isId } from "../../schema/ids.ts"
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
    /** The address of a payment link, for as long as there is the link (docs/contract/payment-links.md#address). */
    readonly linkUrlOf: (linkId: string) => string
    /** The charge of a token, under whichever key it was made; undefined if we did not make it. The charge may be gone. */
    readonly chargeOf: (token: string) => string | undefined
  }
>()("corrente/payments/PaymentUrls") {}

/** Links of charges under `keys` (ENCRYPTION_KEY), to the address that `base` returns, without a trailing slash. */
export const makePaymentUrls = (keys: EncryptionKeys, base: () => string): PaymentUrls["Service"] => {
  const { tokenOf, idOf } = makeIdTokens(keys, "payment pages", "txn_")
  let page = { base: "", prefix: "", linkPrefix: "" }
  /** As a URL is written, which needs no escapes in JSON. */
  const pageNow = () => {
    const now = base()
    if (now !== page.base) {
      const root = new URL(now).href.replace(/\/+$/, "")
      page = { base: now, prefix: `${root}/pay/`, linkPrefix: `${root}/l/` }
    }
    return page
  }
  const prefix = (): string => pageNow().prefix
  return {
    tokenOf,
    prefix,
    urlOf: (token) => prefix() + token,
    chargeOf: idOf,
    linkUrlOf: (linkId) => pageNow().linkPrefix + linkId.slice(linkPrefix.length),
  }
}

const linkPrefix = "plk_"

/** The payment link of a token, which is the rest of its id; undefined for any other text. The link need not exist. */
export const linkOfToken = (token: string): string | undefined => {
  const id = linkPrefix + token
  return isId(linkPrefix, id) ? id : undefined
}

/** Links to this service. */
export const PaymentUrlsLive = (keys: EncryptionKeys) =>
  Layer.effect(
    PaymentUrls,
    Effect.map(OwnAddress, ({ base }) => PaymentUrls.of(makePaymentUrls(keys, base))),
  )
