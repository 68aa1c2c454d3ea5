import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { afterAll } from "vitest"
import { bankNames, bankProfiles } from "../../src/acquirers/apiPix/bankProfiles.ts"
import { loadSettings } from "../../src/config/settings.ts"

const scratch = mkdtempSync(join(tmpdir(), "corrente-api-pix-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** Settings with a key, so that no key file is written. */
const load = (environment: Record<string, string | undefined>) =>
  loadSettings({ ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"), ...environment })

const problemsOf = (environment: Record<string, string | undefined>) =>
  Effect.map(Effect.flip(load(environment)), (error) => error.problems)

/** Everything that api-pix needs. */
const apiPixSettings = () => {
  const certFile = join(scratch, "acquirer-cert.pem")
  const keyFile = join(scratch, "acquirer-key.pem")
  writeFileSync(certFile, "-----BEGIN CERTIFICATE-----\n")
  writeFileSync(keyFile, "-----BEGIN EC PRIVATE KEY-----\n")
  return {
    LIVE_ACQUIRER: "api-pix",
    API_PIX_BASE_URL: "https://pix.example.com/v2/",
    API_PIX_TOKEN_URL: "https://pix.example.com/oauth/token",
    API_PIX_CLIENT_ID: "client",
    API_PIX_CLIENT_SECRET: "hunter2",
    API_PIX_CERT_FILE: certFile,
    API_PIX_KEY_FILE: keyFile,
    API_PIX_KEY: "pix@example.com",
  }
}

describe("settings of the authentication of api-pix's webhooks", () => {
  const production = () => ({ ...apiPixSettings(), NODE_ENV: "production" })

  it.effect("production needs a webhook secret for api-pix, or a proxy that demands the certificate", () =>
    Effect.gen(function* () {
      const problems = yield* problemsOf(production())
      assert.strictEqual(problems.length, 1)
      assert.include(problems[0], "API_PIX_WEBHOOK_SECRET is not set")
      assert.include(problems[0], "API_PIX_WEBHOOK_AUTH=proxy")
      const proxied = yield* load({ ...production(), API_PIX_WEBHOOK_AUTH: "proxy" })
      assert.isUndefined(proxied.acquirers["api-pix"]?.webhookSecret)
      const signed = yield* load({ ...production(), API_PIX_WEBHOOK_SECRET: "shared" })
      assert.isDefined(signed.acquirers["api-pix"]?.webhookSecret)
    }),
  )

  it.effect(
    "API_PIX_WEBHOOK_AUTH=none is refused everywhere, and development may leave the setting out",
    () =>
      Effect.gen(function* () {
        for (const given of [production(), apiPixSettings()]) {
          const problems = yield* problemsOf({ ...given, API_PIX_WEBHOOK_AUTH: "none" })
          assert.strictEqual(problems.length, 1)
          assert.include(problems[0], 'API_PIX_WEBHOOK_AUTH is "none"')
        }
        yield* load(apiPixSettings())
      }),
  )
})

describe("settings of api-pix", () => {
  it.effect("settings of api-pix are read where it is the live acquirer, and only there", () =>
    Effect.gen(function* () {
      const given = apiPixSettings()
      const { liveAcquirer, acquirers } = yield* load(given)
      const apiPix = acquirers["api-pix"]
      assert.strictEqual(liveAcquirer, "api-pix")
      if (apiPix === undefined) return assert.fail("api-pix has no settings")
      const { clientSecret, ...rest } = apiPix
      assert.strictEqual(clientSecret && Redacted.value(clientSecret), "hunter2")
      assert.deepStrictEqual(rest, {
        baseUrl: "https://pix.example.com/v2",
        tokenUrl: "https://pix.example.com/oauth/token",
        clientId: "client",
        certFile: given.API_PIX_CERT_FILE,
        keyFile: given.API_PIX_KEY_FILE,
        caFile: undefined,
        pixKey: "pix@example.com",
        webhookSecret: undefined,
        bank: bankProfiles.efi,
        appKey: undefined,
        headers: undefined,
      })
      const caFile = given.API_PIX_CERT_FILE
      const more = (yield* load({ ...given, API_PIX_CA_FILE: caFile, API_PIX_WEBHOOK_SECRET: "shared" }))
        .acquirers["api-pix"]
      assert.strictEqual(more?.caFile, caFile)
      assert.strictEqual(more?.webhookSecret && Redacted.value(more.webhookSecret), "shared")
      const unused = { API_PIX_BASE_URL: "no URL", API_PIX_CERT_FILE: "/no/such/file" }
      const simulated = yield* load({ ...given, ...unused, LIVE_ACQUIRER: "simulator" })
      assert.isUndefined(simulated.acquirers["api-pix"])
    }),
  )

  it.effect("missing settings of api-pix are all reported at once", () =>
    Effect.gen(function* () {
      const needed = Object.keys(apiPixSettings()).filter((name) => name !== "LIVE_ACQUIRER")
      const problems = yield* problemsOf({ LIVE_ACQUIRER: "api-pix" })
      assert.deepStrictEqual(
        problems,
        needed.map((name) => `${name} is not set, and LIVE_ACQUIRER=api-pix needs it.`),
      )
    }),
  )

  it.effect("api-pix's URLs must be https without credentials, and no problem shows a secret", () =>
    Effect.gen(function* () {
      const secret = `hunter2${"x".repeat(512)}`
      const problems = yield* problemsOf({
        ...apiPixSettings(),
        API_PIX_BASE_URL: "http://pix.example.com",
        API_PIX_TOKEN_URL: "https://user:hunter2@pix.example.com/token",
        API_PIX_CLIENT_SECRET: secret,
        API_PIX_WEBHOOK_SECRET: secret,
      })
      assert.deepStrictEqual(
        problems.map((problem) => problem.split(" ")[0]),
        ["API_PIX_BASE_URL", "API_PIX_TOKEN_URL", "API_PIX_CLIENT_SECRET", "API_PIX_WEBHOOK_SECRET"],
      )
      assert.notInclude(problems.join("\n"), "hunter2")
    }),
  )

  it.effect("api-pix's files must be readable PEM files of the right kind", () =>
    Effect.gen(function* () {
      const given = apiPixSettings()
      const missing = join(scratch, "none.pem")
      const problems = yield* problemsOf({
        ...given,
        API_PIX_CERT_FILE: given.API_PIX_KEY_FILE,
        API_PIX_KEY_FILE: given.API_PIX_CERT_FILE,
        API_PIX_CA_FILE: missing,
      })
      assert.strictEqual(problems.length, 3)
      assert.include(problems[0], `API_PIX_CERT_FILE ${given.API_PIX_KEY_FILE} holds no certificate`)
      assert.include(problems[1], `API_PIX_KEY_FILE ${given.API_PIX_CERT_FILE} holds no private key`)
      assert.include(problems[2], `API_PIX_CA_FILE ${missing} cannot be read (ENOENT)`)
    }),
  )
})

describe("settings of a bank", () => {
  const bankOf = (environment: Record<string, string | undefined>) =>
    Effect.map(load({ ...apiPixSettings(), ...environment }), ({ acquirers }) => {
      const found = acquirers["api-pix"]
      if (found === undefined) throw new Error("api-pix has no settings")
      return found
    })

  it.effect("API_PIX_BANK names the profile of a bank, and each part of it can be set by itself", () =>
    Effect.gen(function* () {
      for (const name of bankNames) {
        const { bank } = yield* bankOf({ API_PIX_BANK: name, API_PIX_APP_KEY: "key" })
        assert.deepStrictEqual<unknown>(bank, bankProfiles[name])
      }
      const { bank } = yield* bankOf({
        API_PIX_BANK: "inter",
        API_PIX_TOKEN_AUTH: "query",
        API_PIX_SCOPE: "pix.read extrato.read",
        API_PIX_LIST_WINDOW_DAYS: "7",
        API_PIX_PAYOUTS: "efi-v2",
      })
      assert.deepStrictEqual<unknown>(bank, {
        ...bankProfiles.inter,
        tokenForm: "query",
        scope: "pix.read extrato.read",
        listWindowDays: 7,
        payouts: "efi-v2",
        hasSentList: true,
      })
    }),
  )

  it.effect("a bank whose only credential is the certificate needs no client secret", () =>
    Effect.gen(function* () {
      const without = { API_PIX_BANK: "sicoob", API_PIX_CLIENT_SECRET: undefined }
      assert.isUndefined((yield* bankOf(without)).clientSecret)
      const { clientSecret } = yield* bankOf({ API_PIX_BANK: "sicoob" })
      assert.strictEqual(clientSecret && Redacted.value(clientSecret), "hunter2")
      const problems = yield* problemsOf({ ...apiPixSettings(), ...without, API_PIX_BANK: "inter" })
      assert.deepStrictEqual(problems, [
        "API_PIX_CLIENT_SECRET is not set, and LIVE_ACQUIRER=api-pix needs it.",
      ])
    }),
  )

  it.effect("Banco do Brasil needs the key of the application", () =>
    Effect.gen(function* () {
      const { appKey } = yield* bankOf({
        API_PIX_BANK: "bb",
        API_PIX_APP_KEY: "of the app".replaceAll(" ", "-"),
      })
      assert.strictEqual(appKey && Redacted.value(appKey), "of-the-app")
      assert.deepStrictEqual(yield* problemsOf({ ...apiPixSettings(), API_PIX_BANK: "bb" }), [
        "API_PIX_APP_KEY is not set, and API_PIX_BANK=bb needs it.",
      ])
    }),
  )

  it.effect("headers are read as a JSON object, by names in lower case", () =>
    Effect.gen(function* () {
      const { headers } = yield* bankOf({ API_PIX_HEADERS: '{"X-Conta-Corrente": "123 456", "x-key": "k"}' })
      assert.deepStrictEqual(headers && Redacted.value(headers), {
        "x-conta-corrente": "123 456",
        "x-key": "k",
      })
      const most = Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [`x-${nth}`, "v".repeat(1_024)]))
      assert.isDefined((yield* bankOf({ API_PIX_HEADERS: JSON.stringify(most) })).headers)
    }),
  )

  const tooMany = Object.fromEntries(Array.from({ length: 21 }, (_, nth) => [`x-${nth}`, "hunter2"]))
  it.effect.each([
    "hunter2",
    '["hunter2"]',
    '{"x-key": 7}',
    '{"x key": "hunter2"}',
    '{"": "hunter2"}',
    '{"x-key": ""}',
    '{"x-key": " hunter2"}',
    '{"x-key": "hunter2\\r\\nx: y"}',
    '{"x-key": "hunter2é"}',
    '{"X-Key": "hunter2", "x-key": "hunter2"}',
    '{"Authorization": "hunter2"}',
    '{"host": "hunter2"}',
    JSON.stringify({ "x-key": "v".repeat(1_025) }),
    JSON.stringify(tooMany),
  ])("the service refuses to start with headers like %s, and shows none of them", (API_PIX_HEADERS) =>
    Effect.gen(function* () {
      const problems = yield* problemsOf({ ...apiPixSettings(), API_PIX_HEADERS })
      assert.strictEqual(problems.length, 1)
      assert.include(problems[0], "API_PIX_HEADERS (value not shown) must be a JSON object")
      assert.notInclude(problems[0], "hunter2")
    }),
  )

  it.effect.each([
    { API_PIX_BANK: "itaú", says: "must be one of efi, inter, bb, santander, sicoob, itau, generic" },
    { API_PIX_TOKEN_AUTH: "Basic", says: "must be one of basic, form, query" },
    { API_PIX_PAYOUTS: "efi", says: "must be one of efi-v3, efi-v2, manual" },
    { API_PIX_SCOPE: "cob.read  pix.read", says: "must be scopes separated by single spaces" },
    { API_PIX_SCOPE: 'cob"read', says: "must be scopes separated by single spaces" },
    { API_PIX_LIST_WINDOW_DAYS: "0", says: "must be a whole number from 1 to 366" },
    { API_PIX_LIST_WINDOW_DAYS: "367", says: "must be a whole number from 1 to 366" },
  ])("the service refuses to start with $says", ({ says, ...environment }) =>
    Effect.gen(function* () {
      const problems = yield* problemsOf({ ...apiPixSettings(), ...environment })
      assert.strictEqual(problems.length, 1)
      assert.include(problems[0], says)
    }),
  )
})
