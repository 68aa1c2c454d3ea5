import { Effect } from "effect"
import type { Authenticator } from "../../test/e2e/support/accountTotp.ts"
import { attempt } from "./demoFailed.ts"
import type { DemoService } from "./service.ts"

/** A user of the demo's own service, and what signs them in. */
export interface DemoUser {
  readonly name: string
  readonly email: string
  readonly password: string
  readonly authenticator: Authenticator
}

/** The `Cookie` header that sends what an answer set. */
export const cookieHeaderOf = (setCookies: ReadonlyArray<string>): string =>
  setCookies.map((cookie) => cookie.split(";")[0]).join("; ")

/** Signs a user in with both factors. Returns the `Set-Cookie` headers of the session, which is stepped up. */
export const signIn = Effect.fnUntraced(function* (service: DemoService, user: DemoUser) {
  const { email, password, authenticator } = user
  const begun = yield* service.request("/v1/me/auth/sign-in/email", { body: { email, password } })
  const code = yield* attempt("a code", () => authenticator.next())
  const done = yield* service.request("/v1/me/auth/two-factor/verify-totp", {
    cookie: cookieHeaderOf(begun.headers.getSetCookie()),
    body: { code },
  })
  return done.headers.getSetCookie()
})
