import type { Page } from "playwright-core"
import { expect } from "vitest"
import { sessionCookieName } from "../../../schema/api/security.ts"
import { parseAccountToken } from "../../../src/accounts/users/accountTokenStore.ts"
import { sessionKey } from "../../../src/store/keys.ts"
import type { Person } from "../../e2e/support/accountPeople.ts"
import type { Stage } from "../../e2e/support/stage.ts"

/** Ends the step-up of a tab's session, as ten minutes do. */
export const endStepUp = async (stage: Stage, page: Page): Promise<void> => {
  const cookie = (await page.context().cookies()).find(({ name }) => name === sessionCookieName)
  const parsed = parseAccountToken(decodeURIComponent(cookie?.value ?? ""))
  if (parsed === undefined) throw new Error("The tab has no session.")
  const key = sessionKey(parsed.slot, parsed.tokenHash)
  await stage.redis("HSET", key, "mfa_verified_until", Date.now() - 1_000)
}

/** Answers what asks for a step-up, a form or the dialog, and waits until it is gone. The sixth digit sends the code. */
export const confirmStepUp = async (page: Page, person: Person): Promise<void> => {
  const stepUp = page.getByTestId("step-up")
  await stepUp.getByTestId("code-input").fill(await person.authenticator.next())
  await expect.poll(() => stepUp.count()).toBe(0)
}
