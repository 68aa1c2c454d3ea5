import { Effect } from "effect"
import type { PixKey } from "../../../schema/resources/pixKey.ts"
import { makeAuthenticator } from "../../../test/e2e/support/accountTotp.ts"
import { DemoFailed } from "../demoFailed.ts"
import type { DemoService } from "../service.ts"
import { cookieHeaderOf, type DemoUser, signIn } from "../signIn.ts"

const password = "correct horse battery"
const shopName = "Loja da Ana"

/** A merchant who collects and withdraws in live mode. */
export interface Shop {
  readonly id: string
  readonly name: string
  /** Its live API key. */
  readonly key: string
  /** A verified PIX key, which withdrawals are paid to. */
  readonly pixKeyId: string
  readonly user: DemoUser
}

/** An operator of the service. */
export interface Operator {
  readonly user: DemoUser
  /** The `Cookie` of its session, which is stepped up. */
  readonly cookie: string
}

const userOf = (name: string, email: string, made: Readonly<Record<string, unknown>>): DemoUser => ({
  name,
  email,
  password,
  authenticator: makeAuthenticator(String(made.totp_secret)),
})

/** Makes an operator as `ops admin create` does, and signs it in. */
export const makeOperator = Effect.fnUntraced(function* (service: DemoService) {
  const email = "rui@example.com"
  const made = yield* service.ops("admin", "create", "--email", email, "--password", password)
  const user = userOf("Rui, the operator", email, made)
  return { user, cookie: cookieHeaderOf(yield* signIn(service, user)) } satisfies Operator
})

/** Makes a shop as `ops seller create` does. Its user registers a PIX key, which the operator approves. */
export const openShop = Effect.fnUntraced(function* (service: DemoService, operator: string) {
  const email = "ana@example.com"
  const made = yield* service.ops(
    ...["seller", "create", "--email", email, "--password", password],
    ...["--name", shopName, "--kyc", "approved"],
  )
  const { live: key } = made.api_keys as { readonly live: string | null }
  if (key === null) return yield* new DemoFailed({ message: "the seller has no live key" })
  const user = userOf("Ana, the merchant", email, made)
  const pixKey = yield* service.call<PixKey>("/v1/me/pix-keys", {
    cookie: cookieHeaderOf(yield* signIn(service, user)),
    headers: { "X-Mode": "live" },
    body: { type: "email", value: email },
  })
  yield* service.call(`/v1/admin/pix-keys/${pixKey.id}/approve`, { cookie: operator, body: {} })
  return { id: String(made.seller_id), name: shopName, key, pixKeyId: pixKey.id, user } satisfies Shop
})
