import { createHash } from "node:crypto"
import { Effect, type Scope } from "effect"
import type { Acquirer } from "../../../actors/ports/acquirer.ts"
import { limits } from "../../../schema/limits.ts"
import { cancelCharge, createCharge, queryCharge, refund } from "./charges.ts"
import { type ApiPixClient, makeClient } from "./client.ts"
import { type InvalidApiPixCertificate, type MutualTls, openAgent } from "./mtlsExchange.ts"
import { queryPayout, sendPayout } from "./payouts.ts"
import { apiPixSlug } from "./slug.ts"
import { makeTokens, type TokenOptions } from "./tokens.ts"

/** The partner and who we are to it (`API_PIX_*`, decisions 3). */
export interface ApiPixOptions extends MutualTls, TokenOptions {
  /** Where `/cob` and `/pix` are, as `https://host` or `https://host/v2`; payouts are at `/v2/gn/pix` of the host. */
  readonly baseUrl: string
  /** Our PIX key: it collects charges and pays withdrawals. */
  readonly pixKey: string
}

/**
 * An acquirer that speaks the Central Bank's API Pix v2, with payouts as Efí has them. Each kind of call has connections
 * of its own, and so have tokens, so that calls which hang at the partner hold up none of another kind. They
 * close with the scope. Fails on PEM texts that cannot be used; the partner itself is first called when needed.
 */
export const makeApiPix = Effect.fnUntraced(function* (
  options: ApiPixOptions,
): Effect.fn.Return<Acquirer, InvalidApiPixCertificate, Scope.Scope> {
  const tokens = yield* makeTokens(yield* openAgent(options, limits.partnerTokenSocketsMax), options)
  const openLane = (socketsMax: number) =>
    Effect.map(openAgent(options, socketsMax), (agent) => makeClient(agent, tokens))
  const lanes = {
    creating: yield* openLane(limits.partnerCreationSocketsMax),
    polling: yield* openLane(limits.partnerSocketsMax),
    noticed: yield* openLane(limits.partnerSocketsMax),
    refunding: yield* openLane(limits.partnerSocketsMax),
    paying: yield* openLane(limits.partnerSocketsMax),
    payoutAsking: yield* openLane(limits.partnerSocketsMax),
  }
  const baseUrl = options.baseUrl.replace(/\/+$/, "")
  const rootUrl = baseUrl.replace(/\/v2$/, "")
  const charges = (client: ApiPixClient) => ({ client, baseUrl, pixKey: options.pixKey })
  const payouts = (client: ApiPixClient) => ({ client, rootUrl, pixKey: options.pixKey })
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
    refund: refund(charges(lanes.refunding)),
    sendPayout: sendPayout(payouts(lanes.paying)),
    queryPayout: queryPayout(payouts(lanes.payoutAsking)),
  }
})

/** Which account of the partner it is: who we are there, and where. 128 bits of a hash, as it stands with every charge. */
const accountOf = (baseUrl: string, { clientId, pixKey }: ApiPixOptions): string => {
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([baseUrl, clientId, pixKey]))
    .digest("hex")
  return `${apiPixSlug}:${fingerprint.slice(0, 32)}`
}
