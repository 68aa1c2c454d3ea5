import { Effect, type Scope } from "effect"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { limits } from "../../../schema/limits.ts"
import { pendingCookieName } from "../../../src/http/contract/cookies.ts"
import type { UserEntity } from "../../../src/store/users.ts"
import { type Browser, makeBrowser } from "../../e2e/support/accountBrowser.ts"
import type { Answer } from "../../e2e/support/client.ts"
import type { Service } from "../../support/service.ts"
import {
  type Account,
  asProcess,
  makeAccount,
  openPending,
  openSession,
  type Process,
} from "./twoFactorFixture.ts"

/** The routes of 2FA, step-ups and their preferences. */
export const routes = {
  verifyTotp: "/v1/me/auth/two-factor/verify-totp",
  verifyBackupCode: "/v1/me/auth/two-factor/verify-backup-code",
  enable: "/v1/me/auth/two-factor/enable",
  disable: "/v1/me/auth/two-factor/disable",
  generate: "/v1/me/auth/two-factor/generate-backup-codes",
  stepUp: "/v1/me/auth/step-up",
  prefs: "/v1/me/security/step-up-prefs",
} as const

/** Accounts on the Redis of a running service. */
export const accountsOn = (service: () => Service) => {
  const stage = () => ({ redisUrl: service().redisUrl, encryptionKey: service().encryptionKey })
  const run = <A, E>(program: Effect.Effect<A, E, Process | Scope.Scope>) =>
    Effect.runPromise(asProcess(stage(), program))
  return {
    run,
    account: (options?: Parameters<typeof makeAccount>[1]): Promise<Account> =>
      run(makeAccount(stage(), options)),
    /** A browser that is signed in, and stepped up only where the options say until when. */
    signedIn: async (user: UserEntity, options?: Parameters<typeof openSession>[1]): Promise<Browser> => {
      const browser = makeBrowser(service().url)
      browser.setCookie(sessionCookieName, (await run(openSession(user, options))).token)
      return browser
    },
    /** A browser whose sign-in waits for its second step; a given `browser` keeps its other cookies. */
    pending: async (
      user: UserEntity,
      options?: Parameters<typeof openPending>[1],
      browser: Browser = makeBrowser(service().url),
    ): Promise<Browser> => {
      browser.setCookie(pendingCookieName, (await run(openPending(user, options))).token)
      return browser
    },
  }
}

/** A refusal's status, code and, where it has one, param. */
export const refusal = ({ status, body }: Answer<unknown>): ReadonlyArray<unknown> => {
  const { code, param } =
    (body as { readonly error?: { readonly code: string; readonly param?: string } }).error ?? {}
  return param === undefined ? [status, code] : [status, code, param]
}

/** The attributes of a cookie that an answer sets, in lower case and without its value; undefined where it sets none. */
export const cookieSet = ({ headers }: Answer<unknown>, name: string): ReadonlyArray<string> | undefined =>
  headers
    .getSetCookie()
    .find((line) => line.startsWith(`${name}=`))
    ?.split("; ")
    .slice(1)
    .map((attribute) => attribute.toLowerCase())
    .sort()

/**
 * Makes twice as many requests at once as a minute allows, and returns the answers of those refused. Throws unless at
 * least one is refused and the allowed ones are let through; on a slow machine the quota may regain a try meanwhile.
 */
export const exceed = async (
  ask: (index: number) => Promise<Answer<unknown>>,
): Promise<ReadonlyArray<Answer<unknown>>> => {
  const most = limits.secondFactorsPerMinute
  const answers = await Promise.all(Array.from({ length: 2 * most }, (_, index) => ask(index)))
  const refused = answers.filter(({ status }) => status === 429)
  if (refused.length === 0 || refused.length > most)
    throw new Error(`${refused.length} of ${2 * most} were refused`)
  return refused
}
