import { Effect, type Scope } from "effect"
import type { Acquirer } from "../../../actors/ports/acquirer.ts"
import { cancelCharge, createCharge, queryCharge, refund } from "./charges.ts"
import { makeClient } from "./client.ts"
import { type InvalidApiPixCertificate, type MutualTls, openAgent } from "./exchange.ts"
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
 * An acquirer that speaks the Central Bank's API Pix v2, with payouts as Efí has them (decisions 3). Its connections
 * close with the scope. Fails on PEM texts that cannot be used; the partner itself is first called when needed.
 */
export const makeApiPix = Effect.fnUntraced(function* (
  options: ApiPixOptions,
): Effect.fn.Return<Acquirer, InvalidApiPixCertificate, Scope.Scope> {
  const agent = yield* openAgent(options)
  const client = makeClient(agent, yield* makeTokens(agent, options))
  const baseUrl = options.baseUrl.replace(/\/+$/, "")
  const rootUrl = baseUrl.replace(/\/v2$/, "")
  const charges = { client, baseUrl, pixKey: options.pixKey }
  const payouts = { client, rootUrl, pixKey: options.pixKey }
  return {
    slug: apiPixSlug,
    isLocal: false,
    createCharge: createCharge(charges),
    queryCharge: queryCharge(charges),
    cancelCharge: cancelCharge(charges),
    refund: refund(charges),
    sendPayout: sendPayout(payouts),
    queryPayout: queryPayout(payouts),
  }
})
