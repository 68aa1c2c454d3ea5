import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { afterAll } from "vitest"
import type { Settings } from "../../src/config/settings.ts"
import { loadSettings } from "../../src/config/settings.ts"

const scratch = mkdtempSync(join(tmpdir(), "corrente-secret-files-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

let files = 0
const fileOf = (text: string): string => {
  const path = join(scratch, `secret-${++files}`)
  writeFileSync(path, text)
  return path
}

const plainKey = Buffer.alloc(32, 7).toString("base64")
const apiPix = () => ({
  LIVE_ACQUIRER: "api-pix",
  API_PIX_BANK: "bb",
  API_PIX_BASE_URL: "https://pix.example.com/v2",
  API_PIX_TOKEN_URL: "https://pix.example.com/oauth/token",
  API_PIX_CLIENT_ID: "client",
  API_PIX_CLIENT_SECRET: "hunter2",
  API_PIX_APP_KEY: "application",
  API_PIX_CERT_FILE: fileOf("-----BEGIN CERTIFICATE-----\n"),
  API_PIX_KEY_FILE: fileOf("-----BEGIN PRIVATE KEY-----\n"),
  API_PIX_KEY: "pix@example.com",
})

type Loaded = Settings["Service"]
type Environment = Record<string, string | undefined>

/** Every secret setting, a value, and where it ends up. */
const secrets: ReadonlyArray<readonly [string, string, (settings: Loaded) => unknown]> = [
  ["ENCRYPTION_KEY", plainKey, ({ encryptionKeys }) => encryptionKeys],
  ["REDIS_URL", "redis://user:password@redis.test:6379", ({ redisUrl }) => redisUrl],
  ["SMTP_URL", "smtp://user:password@mail.test", ({ smtpUrl }) => smtpUrl],
  ["METRICS_TOKEN", "m".repeat(32), ({ metricsToken }) => metricsToken],
  ["OTEL_EXPORTER_OTLP_HEADERS", "x-token=secret", ({ traces }) => traces?.headers],
  ["SIMULATOR_WEBHOOK_SECRET", "simulated", ({ acquirers }) => acquirers.simulator.webhookSecret],
  ["API_PIX_CLIENT_SECRET", "hunter3", ({ acquirers }) => acquirers["api-pix"]?.clientSecret],
  ["API_PIX_WEBHOOK_SECRET", "shared", ({ acquirers }) => acquirers["api-pix"]?.webhookSecret],
  ["API_PIX_APP_KEY", "app-key", ({ acquirers }) => acquirers["api-pix"]?.appKey],
  ["API_PIX_HEADERS", '{"x-conta-corrente":"1"}', ({ acquirers }) => acquirers["api-pix"]?.headers],
]

/** Everything that is needed but the secret itself. */
const without = (name: string): Environment => ({
  ENCRYPTION_KEY: plainKey,
  ...(name.startsWith("API_PIX") ? apiPix() : {}),
  ...(name.startsWith("OTEL_") ? { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" } : {}),
  [name]: undefined,
})

const problemsOf = (environment: Environment) =>
  Effect.map(Effect.flip(loadSettings(environment)), ({ problems }) => problems)

const opened = (secret: unknown): unknown => {
  assert.isTrue(Redacted.isRedacted(secret))
  return Redacted.value(secret as Redacted.Redacted)
}

describe("secrets from files", () => {
  it.effect.each(secrets)(
    "%s may stand in a file, with the line break that editors put at its end",
    ([name, value, pick]) =>
      Effect.gen(function* () {
        const given = pick(yield* loadSettings({ ...without(name), [name]: value }))
        for (const end of ["", "\n", "\r\n"]) {
          const path = fileOf(value + end)
          const read = pick(yield* loadSettings({ ...without(name), [`${name}_FILE`]: path }))
          assert.deepStrictEqual(opened(read), opened(given))
        }
      }),
  )

  it.effect.each(secrets)(
    "%s is refused where its file is given as well, in words that name both",
    ([name, value]) =>
      Effect.gen(function* () {
        const both = { ...without(name), [name]: value, [`${name}_FILE`]: fileOf(value) }
        assert.deepStrictEqual(yield* problemsOf(both), [
          `${name} and ${name}_FILE are both set. Leave one of them out.`,
        ])
      }),
  )

  it.effect(
    "a file that is missing, empty, no regular file or too long is refused, and each is told apart",
    () =>
      Effect.gen(function* () {
        const folder = join(scratch, "folder")
        mkdirSync(folder)
        const long = fileOf("m".repeat(64 * 1024 + 1))
        const cases = [
          [join(scratch, "nowhere"), "cannot be read (ENOENT)"],
          [fileOf(""), "is empty"],
          [fileOf(" \n\n"), "is empty"],
          [folder, "is not a regular file"],
          [long, "is longer than 64 KiB"],
        ] as const
        for (const [path, what] of cases) {
          assert.deepStrictEqual(yield* problemsOf({ ENCRYPTION_KEY: plainKey, METRICS_TOKEN_FILE: path }), [
            `METRICS_TOKEN_FILE ${JSON.stringify(path)} ${what}. Point it at a file that this user may read and that holds nothing but the value of METRICS_TOKEN.`,
          ])
        }
      }),
  )

  it.effect("a file of 64 KiB is read, and so is one behind a link, as secrets of containers are", () =>
    Effect.gen(function* () {
      const link = join(scratch, "link")
      symlinkSync(fileOf("m".repeat(32)), link)
      const linked = yield* loadSettings({ ENCRYPTION_KEY: plainKey, METRICS_TOKEN_FILE: link })
      assert.strictEqual(opened(linked.metricsToken), "m".repeat(32))
      const padded = fileOf("m".repeat(32).padEnd(64 * 1024))
      const read = yield* loadSettings({ ENCRYPTION_KEY: plainKey, METRICS_TOKEN_FILE: padded })
      assert.strictEqual(opened(read.metricsToken), "m".repeat(32))
    }),
  )

  it.effect("what a file holds is never shown, and a wrong one is named with what it must be", () =>
    Effect.gen(function* () {
      const path = fileOf("hush\n")
      const problems = yield* problemsOf({ ENCRYPTION_KEY: plainKey, METRICS_TOKEN_FILE: path })
      assert.strictEqual(problems.length, 1)
      assert.match(problems[0] ?? "", /^METRICS_TOKEN \(value not shown\) must be 16 to 256 ASCII characters/)
      assert.notInclude(problems[0], "hush")
    }),
  )

  it.effect(
    "production takes its ENCRYPTION_KEY from a file, and tells only once that one cannot be read",
    () =>
      Effect.gen(function* () {
        const production = { NODE_ENV: "production", LIVE_ACQUIRER: "simulator", ALLOW_SIMULATED_LIVE: "yes" }
        const path = fileOf(`${plainKey}\n`)
        yield* loadSettings({ ...production, ENCRYPTION_KEY_FILE: path })
        const gone = yield* problemsOf({ ...production, ENCRYPTION_KEY_FILE: join(scratch, "nowhere") })
        assert.strictEqual(gone.length, 1)
        assert.include(gone[0], "ENCRYPTION_KEY_FILE")
      }),
  )
})

describe("the pages of settings", () => {
  it("every secret setting has its form with _FILE on the page of operations, which says how it is read", () => {
    const page = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8")
    const section = page.slice(page.indexOf("### Secrets from files")).split("\n## ")[0] ?? ""
    for (const [name] of secrets) assert.include(section, `${name}_FILE`)
  })
})
