import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"
import { DocumentCipher } from "../../actors/ports/documentCipher.ts"
import { makeIdTokens } from "../crypto/idTokens.ts"
import { OwnAddress } from "../mail/ownAddress.ts"

/** How many links this process remembers: about 0.2 kB each, 2 MB in all. A charge is rendered several times soon after its creation. */
const tokensMax = 8_192

/** Where payers pay charges (docs/contract/payment-page.md#the-link). */
export class PaymentUrls extends Context.Service<
  PaymentUrls,
  {
    /** The page of a charge: PUBLIC_URL or where the service listens, `/pay/` and the charge's token. */
    readonly urlOf: (chargeId: string) => string
    /** The charge of a token; undefined if we did not make it. The charge may be gone. */
    readonly chargeOf: (token: string) => string | undefined
  }
>()("corrente/payments/PaymentUrls") {}

/** Links of charges under `key` (ENCRYPTION_KEY, 32 bytes), to the address that `base` returns, without a trailing slash. */
export const makePaymentUrls = (key: Uint8Array, base: () => string): PaymentUrls["Service"] => {
  const { tokenOf, idOf } = makeIdTokens(key, "payment pages", "txn_")
  const tokens = new LRUCache<string, string>({ max: tokensMax })
  let page = { base: "", prefix: "" }
  /** As a URL is written, which needs no escapes in JSON. */
  const prefix = (): string => {
    const now = base()
    if (now !== page.base) page = { base: now, prefix: `${new URL(now).href.replace(/\/+$/, "")}/pay/` }
    return page.prefix
  }
  return {
    urlOf: (chargeId) => {
      let token = tokens.get(chargeId)
      if (token === undefined) {
        token = tokenOf(chargeId)
        // A copy: a part of a charge's text would keep the whole text in memory.
        tokens.set(Buffer.from(chargeId).toString(), token)
      }
      return prefix() + token
    },
    chargeOf: idOf,
  }
}

/** Links to this service. */
export const PaymentUrlsLive = (key: Uint8Array) =>
  Layer.effect(
    PaymentUrls,
    Effect.map(OwnAddress, ({ base }) => PaymentUrls.of(makePaymentUrls(key, base))),
  )

/** All stored charges begin so, and nothing else does. */
const chargeHead = '{"id":"txn_'
const idStart = '{"id":"'.length
const idEnd = idStart + "txn_".length + 26
/** What stands before the link: its first occurrence in a charge, as no free text precedes it. */
const before = '"payment_method":"pix"'
const emptyLink = ',"payment_url":""'

/** Where the link of a stored charge is missing: the index of the closing quote of its empty `payment_url`, or -1. */
const linkGap = (data: string): number => {
  if (!data.startsWith(chargeHead)) return -1
  const at = data.indexOf(before)
  // Charges of earlier commits were stored without the member, and their metadata may have one of that name.
  if (at < 0 || !data.startsWith(emptyLink, at + before.length)) return -1
  return at + before.length + emptyLink.length - 1
}

/**
 * Adds to `restore` that it fills the empty `payment_url` of a charge's stored JSON
 * (docs/decisions/0083-payment-pages.md). Every other byte stays as it is.
 */
export const makeRestoreWithPaymentUrl =
  (restore: (data: string) => string, urlOf: (chargeId: string) => string) =>
  (data: string): string => {
    const gap = linkGap(data)
    if (gap < 0) return restore(data)
    return restore(data.slice(0, gap) + urlOf(data.slice(idStart, idEnd)) + data.slice(gap))
  }

/** A `DocumentCipher` that fills in links as well. */
export const WithPaymentUrlsLive = Layer.effect(
  DocumentCipher,
  Effect.gen(function* () {
    const { restore } = yield* DocumentCipher
    const { urlOf } = yield* PaymentUrls
    return { restore: makeRestoreWithPaymentUrl(restore, urlOf) }
  }),
)
