import { execFileSync, spawnSync } from "node:child_process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Browser, makeBrowser } from "./support/accountBrowser.ts"
import { beginSignIn, makeSellerPerson, type SellerPerson, verifyTotpPath } from "./support/accountPeople.ts"
import { openStage, type Stage } from "./support/stage.ts"

const isThere = spawnSync("oathtool", ["--version"]).error === undefined
const where = isThere ? "" : " (skipped: oathtool is not on the PATH)"

/** The code that oathtool makes of `secret` for a time from now, in seconds. */
const oathtool = (secret: string, afterSeconds = 0): string =>
  execFileSync(
    "oathtool",
    ["--totp", "-b", `--now=@${Math.floor(Date.now() / 1_000) + afterSeconds}`, secret],
    { encoding: "utf8" },
  ).trim()

describe.skipIf(!isThere)(`oathtool's codes${where}`, () => {
  let stage: Stage
  let person: SellerPerson
  let browser: Browser
  beforeAll(async () => {
    stage = await openStage()
    person = await makeSellerPerson(stage)
    browser = makeBrowser(stage.service.url)
  })
  afterAll(() => stage?.close())

  it("oathtool's codes complete a sign-in and then a step-up", async () => {
    const { secret } = person.authenticator
    expect((await beginSignIn(stage, person, browser)).needsSecondStep).toBe(true)
    const { user } = await browser.must<{ readonly user: { readonly id: string } }>("POST", verifyTotpPath, {
      body: { code: oathtool(secret) },
    })
    expect(user.id).toBe(person.userId)
    const { mfa_verified_until: until } = await browser.must<{ readonly mfa_verified_until: string }>(
      "POST",
      "/v1/me/auth/step-up",
      { body: { code: oathtool(secret, 30) } },
    )
    expect(Date.parse(until)).toBeGreaterThan(Date.now())
  })

  it("oathtool's code of 90 seconds ago is refused", async () => {
    const { status, body } = await browser.send("POST", "/v1/me/auth/step-up", {
      body: { code: oathtool(person.authenticator.secret, -90) },
    })
    expect([status, body.error.code]).toEqual([401, "invalid_mfa_code"])
  })
})
