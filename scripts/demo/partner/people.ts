import { Effect } from "effect"
import { generateSync } from "otplib"
import type { PixKey } from "../../../schema/resources/pixKey.ts"
import { DemoFailed } from "../demoFailed.ts"
import type { DemoService } from "../service.ts"

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
}

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ")

/** Signs a user in with both factors. Returns the `Cookie` of the session, which is stepped up. */
const signIn = Effect.fnUntraced(function* (service: DemoService, email: string, totpSecret: string) {
  const begun = yield* service.request("/v1/me/auth/sign-in/email", { body: { email, password } })
  const done = yield* service.request("/v1/me/auth/two-factor/verify-totp", {
    cookie: cookiesOf(begun),
    body: { code: generateSync({ secret: totpSecret }) },
  })
  return cookiesOf(done)
})

/** Makes an operator as `ops admin create` does, and signs it in. Returns the `Cookie` of its session. */
export const makeOperator = Effect.fnUntraced(function* (service: DemoService) {
  const email = "rui@example.com"
  const made = yield* service.ops("admin", "create", "--email", email, "--password", password)
  return yield* signIn(service, email, String(made.totp_secret))
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
  const pixKey = yield* service.call<PixKey>("/v1/me/pix-keys", {
    cookie: yield* signIn(service, email, String(made.totp_secret)),
    headers: { "X-Mode": "live" },
    body: { type: "email", value: email },
  })
  yield* service.call(`/v1/admin/pix-keys/${pixKey.id}/approve`, { cookie: operator, body: {} })
  return { id: String(made.seller_id), name: shopName, key, pixKeyId: pixKey.id } satisfies Shop
})
