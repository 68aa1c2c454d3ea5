import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { afterAll } from "vitest"
import { loadSettings, Settings } from "../../src/config/settings.ts"

const scratch = mkdtempSync(join(tmpdir(), "corrente-settings-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const settingsModule = new URL("../../src/config/settings.ts", import.meta.url).href

const keyText = Buffer.alloc(32, 7).toString("base64")

/** Settings with a key, so that no key file is written. */
const load = (environment: Record<string, string | undefined>) =>
  loadSettings({ ENCRYPTION_KEY: keyText, ...environment })

const problemsOf = (environment: Record<string, string | undefined>) =>
  load(environment).pipe(
    Effect.flip,
    Effect.map((error) => error.problems),
  )

describe("settings", () => {
  it.effect("settings have the documented defaults", () =>
    Effect.gen(function* () {
      const { encryptionKeys, acquirers, ...rest } = yield* load({})
      const { simulator, ...others } = acquirers
      assert.deepStrictEqual(simulator, {
        delayMillis: 3_000,
        chargeLatencyMillis: 0,
        ...{ locationHost: "pix.corrente.test", hasManualPayouts: false },
        webhookSecret: undefined,
      })
      assert.isTrue(Object.values(others).every((settings) => settings === undefined))
      assert.deepStrictEqual(Redacted.value(encryptionKeys), [{ id: "0", bytes: new Uint8Array(32).fill(7) }])
      assert.deepStrictEqual(rest, {
        environment: "development",
        logLevel: "Info",
        host: "127.0.0.1",
        port: 3000,
        publicUrl: undefined,
        dataDir: resolve(".data"),
        redisUrl: undefined,
        ...{ replication: undefined, traces: undefined },
        processes: 1,
        partitions: 64,
        retryScheduleMillis: [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000],
        ...{ eventRetentionMillis: 30 * 86_400_000, testRetentionMillis: 90 * 86_400_000 },
        ...{ sseLifetimeMillis: 3_300_000, sseHeartbeatMillis: 15_000 },
        ...{ connectionsMax: undefined, connectionsPerAddressMax: undefined },
        ...{ admissionTargetMillis: 500, passwordCost: 12, sessionIdleMillis: 1_209_600_000 },
        apiRateLimitPerSecond: undefined,
        auditIntervalMillis: 3_600_000,
        ...{ metricsToken: undefined, trustedProxies: [], dashboardOrigins: [] },
        ...{ webhookAllowDestinations: [], webhookCaFile: undefined },
        pixMerchantName: "CORRENTE",
        pixMerchantCity: "SAO PAULO",
        liveAcquirer: "simulator",
        exceptionRules: { payoutStuckMillis: 3_600_000, operatorApprovals: 1 },
        ...{ inboxBytesMax: 64 * 1024 ** 2, reconcileIntervalMillis: 300_000, booksFromMillis: undefined },
        ...{ termsVersion: "2026-01-01", termsUrl: undefined, smtpUrl: undefined },
        mailFrom: "Corrente <no-reply@localhost>",
        faultPoint: undefined,
      })
    }),
  )

  it.effect("settings read every variable, in the unit that its name says", () =>
    Effect.gen(function* () {
      const caFile = join(scratch, "ca.pem")
      writeFileSync(caFile, "-----BEGIN CERTIFICATE-----\n")
      const {
        encryptionKeys: _,
        redisUrl,
        smtpUrl,
        acquirers,
        ...rest
      } = yield* load({
        NODE_ENV: "test",
        LOG_LEVEL: "DEBUG",
        HOST: "::1",
        PORT: " 8080 ",
        PUBLIC_URL: "https://api.example.com/pay/",
        DATA_DIR: "/var/lib/corrente",
        REDIS_URL: "rediss://user:secret@redis.example.com:6380/2",
        REDIS_WAIT_REPLICAS: "2",
        REDIS_WAIT_TIMEOUT_MS: "250",
        PROCESSES: "4",
        PARTITIONS: "8",
        RETRY_SCHEDULE_SECONDS: "0.07, 1,2.5,3,4",
        ...{ EVENT_RETENTION_DAYS: "2", TEST_RETENTION_DAYS: "9" },
        ...{ PAYOUT_STUCK_SECONDS: "90", OPERATOR_APPROVALS: "2" },
        ...{ INBOX_BYTES_MAX: "2048", RECONCILE_INTERVAL_SECONDS: "60", API_PIX_BOOKS_FROM: "2026-01-31" },
        SSE_LIFETIME_SECONDS: "60",
        SSE_HEARTBEAT_SECONDS: "5",
        ...{ CONNECTIONS_MAX: "5000", CONNECTIONS_PER_ADDRESS_MAX: "200" },
        ...{ ADMISSION_TARGET_MS: "250", PASSWORD_COST: "11", SESSION_IDLE_SECONDS: "600" },
        API_RATE_LIMIT_PER_SECOND: "50",
        AUDIT_INTERVAL_SECONDS: "60",
        TRUSTED_PROXIES: "10.0.0.0/8, FD00::/8,192.168.1.1",
        DASHBOARD_ORIGINS: "https://dash.example.com:443,http://localhost:5173/",
        WEBHOOK_ALLOW_DESTINATIONS: "https://127.0.0.1:8443,,https://LOCALHOST:8443,https://127.0.0.1:8443/",
        WEBHOOK_CA_FILE: caFile,
        PIX_LOCATION_HOST: "Pix.Example.com",
        PIX_MERCHANT_NAME: "LOJA DA ANA",
        PIX_MERCHANT_CITY: "RECIFE",
        LIVE_ACQUIRER: "simulator",
        SIMULATOR_DELAY_MS: "10",
        ...{ SIMULATOR_CHARGE_LATENCY_MS: "20", SIMULATOR_PAYOUTS: "manual" },
        SIMULATOR_WEBHOOK_SECRET: "of tests",
        FAULT_POINT: "before:withdrawals.create",
        ...{ TERMS_VERSION: "2027-02-03", TERMS_URL: "https://example.com/termos?lang=pt#1" },
        SMTP_URL: "smtps://user:secret@mail.example.com:465",
        MAIL_FROM: "Loja <loja@example.com>",
      })
      assert.strictEqual(
        redisUrl && Redacted.value(redisUrl),
        "rediss://user:secret@redis.example.com:6380/2",
      )
      assert.strictEqual(smtpUrl && Redacted.value(smtpUrl), "smtps://user:secret@mail.example.com:465")
      const { webhookSecret, ...simulator } = acquirers.simulator
      assert.strictEqual(webhookSecret && Redacted.value(webhookSecret), "of tests")
      assert.deepStrictEqual(simulator, {
        delayMillis: 10,
        chargeLatencyMillis: 20,
        ...{ locationHost: "pix.example.com", hasManualPayouts: true },
      })
      assert.deepStrictEqual(rest, {
        exceptionRules: { payoutStuckMillis: 90_000, operatorApprovals: 2 },
        ...{ inboxBytesMax: 2_048, reconcileIntervalMillis: 60_000, booksFromMillis: 1_769_828_400_000 },
        environment: "test",
        logLevel: "Debug",
        host: "::1",
        port: 8080,
        publicUrl: "https://api.example.com/pay",
        dataDir: "/var/lib/corrente",
        ...{ replication: { replicas: 2, timeoutMillis: 250 }, traces: undefined },
        processes: 4,
        partitions: 8,
        retryScheduleMillis: [70, 1_000, 2_500, 3_000, 4_000],
        ...{ eventRetentionMillis: 172_800_000, testRetentionMillis: 777_600_000 },
        sseLifetimeMillis: 60_000,
        sseHeartbeatMillis: 5_000,
        connectionsMax: 5_000,
        connectionsPerAddressMax: 200,
        admissionTargetMillis: 250,
        ...{ passwordCost: 11, sessionIdleMillis: 600_000 },
        apiRateLimitPerSecond: 50,
        auditIntervalMillis: 60_000,
        metricsToken: undefined,
        trustedProxies: ["10.0.0.0/8", "fd00::/8", "192.168.1.1"],
        dashboardOrigins: ["https://dash.example.com", "http://localhost:5173"],
        webhookAllowDestinations: ["https://127.0.0.1:8443", "https://localhost:8443"],
        webhookCaFile: caFile,
        pixMerchantName: "LOJA DA ANA",
        pixMerchantCity: "RECIFE",
        liveAcquirer: "simulator",
        ...{ termsVersion: "2027-02-03", termsUrl: "https://example.com/termos?lang=pt#1" },
        mailFrom: "Loja <loja@example.com>",
        faultPoint: {
          moment: "before",
          call: "withdrawals.create",
          about: undefined,
          occurrence: 1,
        },
      })
    }),
  )

  it.effect("an empty variable counts as not set, and so does a rate limit of 0", () =>
    Effect.gen(function* () {
      const settings = yield* load({ PORT: "", REDIS_URL: " ", NODE_ENV: "", API_RATE_LIMIT_PER_SECOND: "0" })
      assert.strictEqual(settings.port, 3000)
      assert.isUndefined(settings.redisUrl)
      assert.strictEqual(settings.environment, "development")
      assert.isUndefined(settings.apiRateLimitPerSecond)
    }),
  )

  it.effect("Settings.layer provides the settings as a service", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Settings).port, 1234)
    }).pipe(Effect.provide(Settings.layer({ ENCRYPTION_KEY: keyText, PORT: "1234" }))),
  )

  it.effect("settings report all problems at once, each with its name, its value and what to do", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(load({ PORT: "70000", PARTITIONS: "many", SIMULATOR_DELAY_MS: "-1" }))
      assert.deepStrictEqual(error.problems, [
        'PORT is "70000", but must be a whole number from 0 to 65535. Correct it, or leave it out for the default (3000); 0 takes any free port.',
        'PARTITIONS is "many", but must be a whole number from 1 to 1024. Correct it, or leave it out for the default (64).',
        'SIMULATOR_DELAY_MS is "-1", but must be a whole number from 0 to 86400000. Correct it, or leave it out for the default (3000).',
      ])
      assert.strictEqual(error.message.split("\n").length, 4)
    }),
  )

  it.effect("settings' problems never show a secret, nor a password inside a URL", () =>
    Effect.gen(function* () {
      const secret = "c2VjcmV0LWtleS1vZi0zMS1ieXRlcy1vbmx5ISE="
      const problems = yield* problemsOf({
        ENCRYPTION_KEY: `${secret}x`,
        REDIS_URL: "http://user:hunter2@redis",
        PUBLIC_URL: "https://user:hunter2@example.com",
      })
      assert.strictEqual(problems.length, 3)
      const text = problems.join("\n")
      assert.notInclude(text, secret)
      assert.notInclude(text, "hunter2")
      assert.include(text, "ENCRYPTION_KEY (value not shown) must be 32 bytes in base64")
      assert.include(text, 'PUBLIC_URL is "https://***@example.com"')
    }),
  )

  it.effect("settings' problems show a long value cut short", () =>
    Effect.gen(function* () {
      const [problem = ""] = yield* problemsOf({ PORT: "9".repeat(10_000) })
      assert.include(problem, `"${"9".repeat(80)}..."`)
    }),
  )

  it.effect("production takes a PASSWORD_COST from 10", () =>
    Effect.gen(function* () {
      const production = { NODE_ENV: "production", LIVE_ACQUIRER: "simulator", ALLOW_SIMULATED_LIVE: "yes" }
      assert.deepStrictEqual(yield* problemsOf({ ...production, PASSWORD_COST: "9" }), [
        "PASSWORD_COST is 9, which is for tests. Production needs at least 10.",
      ])
      assert.strictEqual((yield* load({ ...production, PASSWORD_COST: "10" })).passwordCost, 10)
    }),
  )

  it.effect("production requires a key and an acquirer, and listens on all addresses by default", () =>
    Effect.gen(function* () {
      const problems = yield* problemsOf({ NODE_ENV: "production", ENCRYPTION_KEY: undefined })
      assert.strictEqual(problems.length, 2)
      assert.include(problems[0], "ENCRYPTION_KEY is not set, and production needs one")
      assert.include(problems[0], "openssl rand -base64 32")
      assert.include(problems[1], "LIVE_ACQUIRER is not set, and production must name one")
      const simulated = { LIVE_ACQUIRER: "simulator", ALLOW_SIMULATED_LIVE: "yes" }
      const settings = yield* load({ NODE_ENV: "production", ...simulated })
      assert.strictEqual(settings.host, "0.0.0.0")
    }),
  )

  it.effect("a CA file that is missing or holds no certificate is refused", () =>
    Effect.gen(function* () {
      const missing = join(scratch, "none.pem")
      assert.include(
        (yield* problemsOf({ WEBHOOK_CA_FILE: missing }))[0],
        `${missing} cannot be read (ENOENT)`,
      )
      const empty = join(scratch, "empty.pem")
      writeFileSync(empty, "")
      assert.include((yield* problemsOf({ WEBHOOK_CA_FILE: empty }))[0], `${empty} holds no certificate`)
    }),
  )
})

/** Each setting's limits: the outermost accepted texts, and the first rejected ones. */
const limits: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  ["PORT", ["0", "65535"], ["-1", "65536", "1.5", "0x10", "1e3"]],
  ["PARTITIONS", ["1", "1024"], ["0", "1025"]],
  ["PROCESSES", ["1", "64"], ["0", "65", "1.5", "-2", "two"]],
  ["EVENT_RETENTION_DAYS", ["1", "3650"], ["0", "3651"]],
  ["TEST_RETENTION_DAYS", ["30", "3650"], ["8", "3651", "90.5"]],
  ["INBOX_BYTES_MAX", ["1024", String(2 ** 40)], ["1023", String(2 ** 40 + 1), "64MB"]],
  ["PAYOUT_STUCK_SECONDS", ["1", "2592000"], ["0", "2592001"]],
  ["OPERATOR_APPROVALS", ["1", "2"], ["0", "3"]],
  ["RECONCILE_INTERVAL_SECONDS", ["1", "86400"], ["0", "86401", "1.5"]],
  ["SSE_LIFETIME_SECONDS", ["1", "86400"], ["0", "86401"]],
  ["SSE_HEARTBEAT_SECONDS", ["1", "300"], ["0", "301"]],
  ["SIMULATOR_DELAY_MS", ["0", "86400000"], ["86400001"]],
  ["SIMULATOR_CHARGE_LATENCY_MS", ["0", "60000"], ["60001"]],
  ["CONNECTIONS_MAX", ["1", "64000000"], ["0", "64000001"]],
  ["CONNECTIONS_PER_ADDRESS_MAX", ["1", "64000000"], ["0", "64000001"]],
  ["ADMISSION_TARGET_MS", ["10", "5000"], ["9", "5001"]],
  ["REDIS_WAIT_REPLICAS", ["0"], ["-1", "17", "1.5"]],
  ["REDIS_WAIT_TIMEOUT_MS", ["10", "4000"], ["9", "4001"]],
  ["PASSWORD_COST", ["4", "15"], ["3", "16", "12.5"]],
  ["API_RATE_LIMIT_PER_SECOND", ["0", "1000000"], ["1000001"]],
  [
    "RETRY_SCHEDULE_SECONDS",
    ["0.01,1,1,1,1", "1,1,1,1,2505600"],
    ["0.009,1,1,1,1", "1,1,1,1,2592001", "1,1,1,1", "1,1,1,1,1,1", "1,1,,1,1", "1,1,x,1,1", "1;1;1;1;1"],
  ],
  ["NODE_ENV", ["development", "test"], ["staging", "Production"]],
  ["LOG_LEVEL", ["trace", "none", "Warn"], ["loud", "all"]],
  ["HOST", ["0.0.0.0", "::", "localhost"], ["http://localhost", "a b", "-a", "localhost:3000"]],
  [
    "PUBLIC_URL",
    ["http://localhost:3000", "https://a.example/b"],
    ["ftp://a.example", "a.example", "https://a.example/?q=1", "https://a.example/#f", "https://u@a.example"],
  ],
  ["DATA_DIR", ["a".repeat(4096)], ["a".repeat(4097), "a\0b"]],
  ["TERMS_VERSION", ["x".repeat(64)], ["x".repeat(65)]],
  [
    "TERMS_URL",
    ["http://a", `https://a/${"b".repeat(2_038)}`],
    ["a.example/terms", "javascript:alert(1)", "https://u@a.example", `https://a/${"b".repeat(2_039)}`],
  ],
  [
    "REDIS_URL",
    [
      ...["redis://localhost", "rediss://u:p@a.example:6380/1"],
      ...["redis+cluster://a", "rediss+cluster://u:p%40@a:7000,b.example,[::1]:7001/0"],
      ...["redis+sentinel://a/b", "rediss+sentinel://:p@a:1,b/n/2?sentinel_username=u&sentinel_password=p"],
    ],
    [
      ...["localhost:6379", "redis://", "http://a", "redis://a,b", "http+cluster://a"],
      ...["redis+cluster://", "redis+cluster://a,", "redis+cluster://a:0", "redis+cluster://a/1"],
      ...["redis+cluster://a?b=c", "redis+sentinel://a", "redis+sentinel://a/", "redis+sentinel://a/b/c"],
      ...["redis+sentinel://a/b/1/2", "redis+sentinel://a/b?password=c"],
    ],
  ],
  [
    "ENCRYPTION_KEY",
    [Buffer.alloc(32).toString("base64")],
    [
      Buffer.alloc(31).toString("base64"),
      Buffer.alloc(33).toString("base64"),
      "0".repeat(64),
      "_".repeat(43),
    ],
  ],
  [
    "TRUSTED_PROXIES",
    ["0.0.0.0/0", "::/128", "1.2.3.4/32"],
    ["1.2.3.4/33", "::/129", "host", "1.2.3.4/", "1.2.3.4/8/8"],
  ],
  [
    "DASHBOARD_ORIGINS",
    ["http://a.example", "https://a.example:8443"],
    ["a.example", "https://a.example/path", "https://u@a.example", "https://a.example/?", "ws://a.example"],
  ],
  [
    "WEBHOOK_ALLOW_DESTINATIONS",
    ["https://127.0.0.1:8443"],
    ["http://127.0.0.1:8443", "https://a.example/path", "127.0.0.1:8443"],
  ],
  [
    "PIX_LOCATION_HOST",
    [`${"a".repeat(30)}.example`],
    [`${"a".repeat(31)}.example`, "a.example:443", "https://a", "a..b"],
  ],
  ["PIX_MERCHANT_NAME", ["N".repeat(25)], ["N".repeat(26), "JOÃO"]],
  ["PIX_MERCHANT_CITY", ["C".repeat(15)], ["C".repeat(16), "SÃO PAULO"]],
  ["LIVE_ACQUIRER", ["simulator"], ["other", "API-PIX"]],
  ["SIMULATOR_WEBHOOK_SECRET", ["s".repeat(256)], ["s".repeat(257), "a\0b"]],
]

describe("a setting's limits", () => {
  it.effect.each(limits)("%s is accepted at its limits and refused past them", ([name, accepted, refused]) =>
    Effect.gen(function* () {
      for (const text of accepted) yield* load({ [name]: text })
      for (const text of refused) {
        const problems = yield* problemsOf({ [name]: text })
        assert.strictEqual(problems.length, 1, text)
        assert.match(problems[0] ?? "", new RegExp(`^${name}[ (]`), text)
      }
    }),
  )
})

describe("REDIS_WAIT_REPLICAS", () => {
  it.effect(
    "16 replicas of a given Redis may be waited for; of the service's own Redis, which has none, not one",
    () =>
      Effect.gen(function* () {
        const { replication } = yield* load({ REDIS_URL: "redis://a", REDIS_WAIT_REPLICAS: "16" })
        assert.deepStrictEqual(replication, { replicas: 16, timeoutMillis: 1_000 })
        const problems = yield* problemsOf({ REDIS_WAIT_REPLICAS: "1" })
        assert.strictEqual(problems.length, 1)
        assert.match(problems[0] ?? "", /^REDIS_WAIT_REPLICAS is 1, but REDIS_URL is not set/)
      }),
  )
})

describe("development's encryption key", () => {
  const keyOf = (dataDir: string) =>
    Effect.map(loadSettings({ DATA_DIR: dataDir }), ({ encryptionKeys }) =>
      Buffer.from(Redacted.value(encryptionKeys)[0].bytes).toString("base64"),
    )

  it.effect(
    "development's encryption key is made once, in a file for this user alone, and used from then on",
    () =>
      Effect.gen(function* () {
        const dataDir = join(scratch, "made", "here")
        const first = yield* keyOf(dataDir)
        const file = join(dataDir, "encryption.key")
        assert.strictEqual(Buffer.from(first, "base64").length, 32)
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        assert.strictEqual(statSync(dataDir).mode & 0o777, 0o700)
        assert.deepStrictEqual(readdirSync(dataDir), ["encryption.key"])
        assert.strictEqual(yield* keyOf(dataDir), first)
        assert.notStrictEqual(yield* keyOf(join(scratch, "elsewhere")), first)
      }),
  )

  it.effect("processes that start at once in development get the same encryption key", () =>
    Effect.gen(function* () {
      const dataDir = join(scratch, "shared")
      // Each loads its code, reports it, and waits for the end of its input, so that all generate the key at once.
      const program =
        `import { Effect, Redacted } from "effect"; import { loadSettings } from ${JSON.stringify(settingsModule)}; ` +
        'console.log("ready"); for await (const _ of process.stdin) {} ' +
        "const { encryptionKeys } = await Effect.runPromise(loadSettings(process.env)); " +
        'console.log(Buffer.from(Redacted.value(encryptionKeys)[0].bytes).toString("base64"))'
      const processes = Array.from({ length: 4 }, () =>
        spawn(process.execPath, ["--input-type=module", "--eval", program], {
          env: { DATA_DIR: dataDir },
          stdio: ["pipe", "pipe", "inherit"],
        }),
      )
      yield* Effect.promise(() => Promise.all(processes.map((child) => once(child.stdout, "data"))))
      for (const child of processes) child.stdin.end()
      const keys = yield* Effect.promise(() => Promise.all(processes.map((child) => text(child.stdout))))
      assert.strictEqual(new Set(keys).size, 1)
      assert.match(keys[0] ?? "", /^[A-Za-z0-9+/]{43}=\n$/)
      assert.deepStrictEqual(readdirSync(dataDir), ["encryption.key"])
    }),
  )

  it.effect("no encryption key is made where one is given, nor where another setting is wrong", () =>
    Effect.gen(function* () {
      const dataDir = join(scratch, "untouched")
      yield* load({ DATA_DIR: dataDir })
      yield* Effect.flip(loadSettings({ DATA_DIR: dataDir, PORT: "x" }))
      assert.isFalse(existsSync(dataDir))
    }),
  )

  it.effect("a broken file of the encryption key is never replaced, and its error says what to do", () =>
    Effect.gen(function* () {
      const dataDir = join(scratch, "broken")
      mkdirSync(dataDir)
      const file = join(dataDir, "encryption.key")
      writeFileSync(file, "half a k")
      const error = yield* Effect.flip(keyOf(dataDir))
      assert.include(error.message, `${file} must hold 32 bytes in base64`)
      assert.include(error.message, "Restore it from a backup")
      assert.notInclude(error.message, "half a k")
      assert.strictEqual(readFileSync(file, "utf8"), "half a k")
    }),
  )

  it.effect("a DATA_DIR that cannot hold the encryption key is reported with the reason", () =>
    Effect.gen(function* () {
      const file = join(scratch, "a-file")
      writeFileSync(file, "")
      const error = yield* Effect.flip(keyOf(join(file, "data")))
      assert.include(error.message, `DATA_DIR ${join(file, "data")} cannot be used (ENOTDIR)`)
    }),
  )
})
