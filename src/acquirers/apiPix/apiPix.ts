import { createHash } from "node:crypto"
import { Effect, type Scope } from "effect"
import type { Acquirer } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import { makeQueryBalance } from "./balance.ts"
import type { BankProfile } from "./bankProfiles.ts"
import { makeBooks } from "./books.ts"
import { cancelCharge, createCharge, queryCharge, queryPix } from "./charges.ts"
import { type ApiPixClient, type CallOptions, makeClient } from "./client.ts"
import { type InvalidApiPixCertificate, type MutualTls, openAgent } from "./mtlsExchange.ts"
import { queryPayout, sendPayout } from "./payouts.ts"
import { queryRefund, refund } from "./refunds.ts"
import { makeTokens, type TokenOptions } from "./tokens.ts"
import { apiPixSlug } from "./wire.ts"

/** The acquirer and our identity there (docs/partner.md#api-pix). */
export interface ApiPixOptions extends MutualTls, TokenOptions, CallOptions {
  /** Where `/cob` and `/pix` are, as `https://host/v2`, with the bank's `apiPath` or without; its other APIs are beside it. */
  readonly baseUrl: string
  readonly bank: BankProfile
  /** Our PIX key: collects charges and pays withdrawals. */
  readonly pixKey: string
}

/**
 * An acquirer that speaks the Central Bank's API Pix v2 in the way of one bank, with payouts as Efí defines them or by hand. Each kind of call has its own
 * connections, and so have tokens, so that hanging calls hold up no other kind. Connections close with the scope.
 * Fails on unusable PEM texts; calls the acquirer only when needed.
 */
export const makeApiPix = Effect.fnUntraced(function* (
  options: ApiPixOptions,
): Effect.fn.Return<Acquirer, InvalidApiPixCertificate, Scope.Scope> {
  const tokens = yield* makeTokens(yield* openAgent(options, limits.acquirerTokenSocketsMax), options)
  const openLane = (socketsMax: number) =>
    Effect.map(openAgent(options, socketsMax), (agent) => makeClient(agent, tokens, options))
  const lanes = {
    creating: yield* openLane(limits.acquirerCreationSocketsMax),
    polling: yield* openLane(limits.acquirerSocketsMax),
    noticed: yield* openLane(limits.acquirerSocketsMax),
    refunding: yield* openLane(limits.acquirerSocketsMax),
    refundAsking: yield* openLane(limits.acquirerSocketsMax),
    paying: yield* openLane(limits.acquirerSocketsMax),
    payoutAsking: yield* openLane(limits.acquirerSocketsMax),
    books: yield* openLane(limits.acquirerBooksSocketsMax),
  }
  const { bank, pixKey } = options
  const { baseUrl, rootUrl, removalUrl } = addressesOf(options)
  const charges = (client: ApiPixClient) => ({ client, baseUrl, removalUrl, pixKey })
  const payouts = (client: ApiPixClient) => ({ client, rootUrl, pixKey, form: bank.payouts })
  const queryPolled = queryCharge(charges(lanes.polling))
  const queryNoticed = queryCharge(charges(lanes.noticed))
  return {
    slug: apiPixSlug,
    account: accountOf(baseUrl, options),
    isLocal: false,
    createCharge: createCharge(charges(lanes.creating)),
    queryCharge: (query) =>
      query.noticedEndToEndId === undefined ? queryPolled(query) : queryNoticed(query),
    cancelCharge: cancelCharge(charges(lanes.polling)),
    queryPix: queryPix(charges(lanes.noticed)),
    refund: refund({ client: lanes.refunding, baseUrl }),
    queryRefund: queryRefund({ client: lanes.refundAsking, baseUrl }),
    sendPayout: sendPayout(payouts(lanes.paying)),
    queryPayout: queryPayout(payouts(lanes.payoutAsking)),
    ...(bank.payouts === "manual" ? { hasManualPayouts: true } : {}),
    queryBalance: makeQueryBalance({ client: lanes.books, rootUrl, bank }),
    books: makeBooks({ client: lanes.books, baseUrl, rootUrl, bank }),
  }
})

/** The addresses of the API and of what the bank has beside it, without trailing slashes. */
const addressesOf = ({ baseUrl: given, bank }: Pick<ApiPixOptions, "baseUrl" | "bank">) => {
  const baseUrl = given.replace(/\/+$/, "")
  const ending = [bank.apiPath, "/v2"].find((path) => baseUrl.endsWith(path)) ?? ""
  const rootUrl = baseUrl.slice(0, baseUrl.length - ending.length)
  const hasOtherRemoval = bank.removalPath !== undefined && ending === bank.apiPath
  return { baseUrl, rootUrl, removalUrl: hasOtherRemoval ? `${rootUrl}${bank.removalPath}` : baseUrl }
}

/**
 * The account at the acquirer: who we are and where (docs/partner.md#rules-of-money). 128 bits of a hash,
 * stored with every charge.
 */
const accountOf = (baseUrl: string, { clientId, pixKey }: ApiPixOptions): string => {
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([baseUrl, clientId, pixKey]))
    .digest("hex")
  return `${apiPixSlug}:${fingerprint.slice(0, 32)}`
}
