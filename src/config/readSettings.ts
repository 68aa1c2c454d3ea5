import { limits } from "../../schema/limits.ts"
import { traceLimits } from "../../schema/traceLimits.ts"
import { acquirerSlugs, readAcquirersSettings } from "../acquirers/acquirerSettings.ts"
import { readPemPath } from "../env/pemFile.ts"
import * as kind from "../env/settingKinds.ts"
import { type Environment, SettingReader } from "../env/settingReader.ts"
import { encryptionKeyList } from "./encryptionKey.ts"
import { faultPointText, parseFaultPoint } from "./faultPoint.ts"
import { momentMillis, pastMoment } from "./pastMoment.ts"
import { redisUrlText } from "./redisUrl.ts"
import type { SettingsShape } from "./settingsShape.ts"

const dayMillis = 24 * 60 * 60 * 1000

/** The settings as read: `dataDir` is not resolved yet, and development's key may still have to be generated. */
type ReadSettings = Omit<SettingsShape, "encryptionKeys"> & {
  readonly encryptionKeys: SettingsShape["encryptionKeys"] | undefined
}

/** Characters of METRICS_TOKEN: too many to guess, and no more than a header holds. */
const metricsTokenLengthMin = 16
const metricsTokenLengthMax = 256

const leaveOut = "Correct it, or leave it out for the default"

const readEncryptionKeys = (reader: SettingReader, production: boolean) => {
  const generate = "Generate one with: openssl rand -base64 32"
  const key = reader.secret(
    "ENCRYPTION_KEY",
    encryptionKeyList,
    `${generate}. For several, put id:key for each, newest first`,
  )
  if (production && !reader.isSecretSet("ENCRYPTION_KEY")) {
    reader.refuse(
      `ENCRYPTION_KEY is not set, and production needs one. ${generate}, and keep it apart from your backups.`,
    )
  }
  return key
}

const readAcquirers = (reader: SettingReader, production: boolean) => {
  const slug = kind.oneOf(...acquirerSlugs)
  if (production && reader.textOf("LIVE_ACQUIRER") === undefined) {
    reader.refuse(`LIVE_ACQUIRER is not set, and production must name one. Set it to ${slug.mustBe}.`)
  }
  const liveAcquirer = reader.value(
    "LIVE_ACQUIRER",
    slug,
    "simulator",
    `${leaveOut} (simulator) in development.`,
  )
  return {
    liveAcquirer,
    acquirers: readAcquirersSettings(reader, liveAcquirer, production),
    booksFromMillis: momentMillis(
      reader.optional(
        "API_PIX_BOOKS_FROM",
        pastMoment,
        "Set it to when the service takes the account over, or leave it out to compare all of its books.",
      ),
    ),
    reconcileIntervalMillis:
      reader.value(
        "RECONCILE_INTERVAL_SECONDS",
        kind.wholeNumber(limits.reconcileSecondsMin, limits.reconcileSecondsMax),
        limits.reconcileSecondsDefault,
        `${leaveOut} (${limits.reconcileSecondsDefault}).`,
      ) * 1000,
    inboxBytesMax: reader.value(
      "INBOX_BYTES_MAX",
      kind.wholeNumber(1_024, 2 ** 40),
      limits.inboxBytesMaxDefault,
      `${leaveOut} (${limits.inboxBytesMaxDefault}).`,
    ),
  }
}

const readFaultPoint = (reader: SettingReader, production: boolean) => {
  const text = reader.optional("FAULT_POINT", faultPointText, "Leave it out: it is for tests only.")
  if (text !== undefined && production) {
    reader.refuse("FAULT_POINT is set, which kills the process. It is for tests, not for production.")
  }
  return text === undefined || production ? undefined : parseFaultPoint(text)
}

const readPasswordCost = (reader: SettingReader, production: boolean): number => {
  const { passwordCostDefault, passwordCostMin } = limits
  const cost = reader.value(
    "PASSWORD_COST",
    kind.wholeNumber(4, 15),
    passwordCostDefault,
    `${leaveOut} (${passwordCostDefault}).`,
  )
  if (production && cost < passwordCostMin) {
    reader.refuse(
      `PASSWORD_COST is ${cost}, which is for tests. Production needs at least ${passwordCostMin}.`,
    )
  }
  return cost
}

const readSessionIdle = (reader: SettingReader): number => {
  const seconds = limits.sessionIdleMillis / 1_000
  const longest = limits.rememberedSessionMillis / 1_000
  return (
    reader.value("SESSION_IDLE_SECONDS", kind.wholeNumber(1, longest), seconds, `${leaveOut} (${seconds}).`) *
    1_000
  )
}

const readServer = (reader: SettingReader, production: boolean) => ({
  logLevel: reader.value("LOG_LEVEL", kind.logLevel, "Info", `${leaveOut} (info).`),
  host: reader.value(
    "HOST",
    kind.listenHost,
    production ? "0.0.0.0" : "127.0.0.1",
    "127.0.0.1 accepts connections from this machine only, 0.0.0.0 from everywhere.",
  ),
  port: reader.value("PORT", kind.wholeNumber(0, 65_535), 3000, `${leaveOut} (3000); 0 takes any free port.`),
  publicUrl: reader.optional("PUBLIC_URL", kind.publicUrl, "Set it to the address that clients use."),
  dataDir: reader.value("DATA_DIR", kind.plainText(4_096), ".data", `${leaveOut} (.data).`),
  redisUrl: reader.secret("REDIS_URL", redisUrlText, "Leave it out to let the service run its own Redis."),
  processes: reader.value("PROCESSES", kind.wholeNumber(1, 64), 1, `${leaveOut} (1).`),
  partitions: reader.value("PARTITIONS", kind.wholeNumber(1, 1_024), 64, `${leaveOut} (64).`),
  connectionsMax: reader.optional(
    "CONNECTIONS_MAX",
    kind.wholeNumber(1, 64_000_000),
    "Leave it out for as many as the limit of open files allows.",
  ),
  connectionsPerAddressMax: reader.optional(
    "CONNECTIONS_PER_ADDRESS_MAX",
    kind.wholeNumber(1, 64_000_000),
    "Leave it out for a quarter of CONNECTIONS_MAX.",
  ),
  admissionTargetMillis: reader.value(
    "ADMISSION_TARGET_MS",
    kind.wholeNumber(10, 5_000),
    500,
    `${leaveOut} (500).`,
  ),
  apiRateLimitPerSecond:
    reader.optional("API_RATE_LIMIT_PER_SECOND", kind.wholeNumber(0, 1_000_000), "0 means no limit.") ||
    undefined,
  auditIntervalMillis:
    reader.value(
      "AUDIT_INTERVAL_SECONDS",
      kind.wholeNumber(0, 2_592_000),
      3_600,
      `${leaveOut} (3600); 0 means never.`,
    ) * 1_000 || undefined,
  metricsToken: reader.secret(
    "METRICS_TOKEN",
    kind.tokenText(metricsTokenLengthMin, metricsTokenLengthMax),
    "Generate one with: openssl rand -hex 32. Leave it out to let only this machine read metrics.",
  ),
  trustedProxies: reader.value("TRUSTED_PROXIES", kind.addressRangeList, [], "Leave it out to trust none."),
  dashboardOrigins: reader.value(
    "DASHBOARD_ORIGINS",
    kind.originList("http", "https"),
    [],
    "Set it to the dashboard's address as the browser shows it.",
  ),
  smtpUrl: reader.secret("SMTP_URL", kind.smtpUrl, "Leave it out to keep mails in Redis for `ops mail`."),
  mailFrom: reader.value(
    "MAIL_FROM",
    kind.plainText(320),
    "Corrente <no-reply@localhost>",
    "Set it to a sender like Corrente <no-reply@example.com>.",
  ),
  termsVersion: reader.value("TERMS_VERSION", kind.plainText(64), "2026-01-01", `${leaveOut} (2026-01-01).`),
  termsUrl: reader.optional(
    "TERMS_URL",
    kind.pageUrl,
    "Set it to the page that shows the terms, or leave it out.",
  ),
})

/** How many replicas must have a write before anybody is told; undefined: nobody waits for replicas. */
const readReplication = (reader: SettingReader, hasOwnRedis: boolean) => {
  const { waitReplicasMax, waitMillisMin, waitMillisMax, waitMillisDefault } = limits
  const replicas = reader.value(
    "REDIS_WAIT_REPLICAS",
    kind.wholeNumber(0, waitReplicasMax),
    0,
    `${leaveOut} (0).`,
  )
  const timeoutMillis = reader.value(
    "REDIS_WAIT_TIMEOUT_MS",
    kind.wholeNumber(waitMillisMin, waitMillisMax),
    waitMillisDefault,
    `${leaveOut} (${waitMillisDefault}).`,
  )
  if (replicas > 0 && hasOwnRedis) {
    reader.refuse(
      `REDIS_WAIT_REPLICAS is ${replicas}, but REDIS_URL is not set, and the Redis that the service runs itself has no replicas. ` +
        "Set REDIS_URL, or leave REDIS_WAIT_REPLICAS out.",
    )
  }
  return replicas === 0 ? undefined : { replicas, timeoutMillis }
}

/** Where traces go and which requests are traced; undefined without a collector. */
const readTraces = (reader: SettingReader) => {
  const endpoint = reader.optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    kind.publicUrl,
    "Set it to the address of a collector, such as http://127.0.0.1:4318, or leave it out to trace nothing.",
  )
  const { ratioDefault } = traceLimits
  const traces = {
    url: `${endpoint}/v1/traces`,
    headers: reader.secret(
      "OTEL_EXPORTER_OTLP_HEADERS",
      kind.headerPairs,
      "Set it to the headers that your collector asks for.",
    ),
    ratio: reader.value(
      "OTEL_TRACES_SAMPLER_ARG",
      kind.ratio,
      ratioDefault,
      `${leaveOut} (${ratioDefault}).`,
    ),
    serviceName: reader.value(
      "OTEL_SERVICE_NAME",
      kind.plainText(100),
      "corrente",
      `${leaveOut} (corrente).`,
    ),
  }
  return endpoint === undefined ? undefined : traces
}

/**
 * Checks that an event is kept until its last attempt: the schedule's waits plus the attempts, each up to its claim's
 * lease. An attempt after its event is gone would have no body (docs/contract/deliveries.md#retention).
 */
const checkRetention = (
  reader: SettingReader,
  { eventRetentionMillis, retryScheduleMillis }: ReturnType<typeof readFeedAndDelivery>,
): void => {
  const waitsMillis = retryScheduleMillis.reduce((sum, millis) => sum + millis, 0)
  const ladderMillis = waitsMillis + (retryScheduleMillis.length + 1) * limits.deliveryLeaseMillis
  if (eventRetentionMillis >= ladderMillis) return
  const needed = Math.ceil(ladderMillis / dayMillis)
  reader.refuse(
    `EVENT_RETENTION_DAYS is ${eventRetentionMillis / dayMillis}, but RETRY_SCHEDULE_SECONDS retries an event for ` +
      `longer than that. Set EVENT_RETENTION_DAYS to ${needed} or more, or shorten the schedule.`,
  )
}

/**
 * How long test mode keeps what has ended, in ms: left out, 90 days, or as long as events where those stay longer. A resource's
 * events must not outlive it, nor what is owed of them.
 */
const readTestRetention = (reader: SettingReader, eventRetentionMillis: number): number => {
  const { testRetentionDaysMin, testRetentionDaysMax, testRetentionDaysDefault } = limits
  const eventDays = eventRetentionMillis / dayMillis
  const whenLeftOut = Math.max(testRetentionDaysDefault, eventDays)
  const days = reader.value(
    "TEST_RETENTION_DAYS",
    kind.wholeNumber(testRetentionDaysMin, testRetentionDaysMax),
    whenLeftOut,
    `${leaveOut} (${whenLeftOut}).`,
  )
  if (days < eventDays) {
    reader.refuse(
      `TEST_RETENTION_DAYS is ${days}, but EVENT_RETENTION_DAYS keeps the events of test mode for longer than that. ` +
        `Set TEST_RETENTION_DAYS to ${eventDays} or more, or leave it out.`,
    )
  }
  return days * dayMillis
}

const readFeedAndDelivery = (reader: SettingReader) => ({
  eventRetentionMillis:
    reader.value("EVENT_RETENTION_DAYS", kind.wholeNumber(1, 3_650), 30, `${leaveOut} (30).`) * dayMillis,
  sseLifetimeMillis:
    reader.value("SSE_LIFETIME_SECONDS", kind.wholeNumber(1, 86_400), 3_300, `${leaveOut} (3300).`) * 1000,
  sseHeartbeatMillis:
    reader.value("SSE_HEARTBEAT_SECONDS", kind.wholeNumber(1, 300), 15, `${leaveOut} (15).`) * 1000,
  // A wait before each attempt but the first (docs/contract/deliveries.md#retries).
  retryScheduleMillis: reader.value(
    "RETRY_SCHEDULE_SECONDS",
    kind.secondsList(limits.attemptsMax - 1, 2_592_000),
    [60_000, 300_000, 1_800_000, 7_200_000, 43_200_000],
    `${leaveOut} (60,300,1800,7200,43200).`,
  ),
  webhookAllowDestinations: reader.value(
    "WEBHOOK_ALLOW_DESTINATIONS",
    kind.originList("https", "rediss"),
    [],
    "Leave it out to deliver to public addresses only.",
  ),
  webhookCaFile: readPemPath(reader, "WEBHOOK_CA_FILE", "CERTIFICATE"),
})

/** Rules about exceptions (docs/contract/exceptions.md). */
const readExceptionRules = (reader: SettingReader) => ({
  payoutStuckMillis:
    reader.value("PAYOUT_STUCK_SECONDS", kind.wholeNumber(1, 2_592_000), 3_600, `${leaveOut} (3600).`) *
    1_000,
  operatorApprovals: reader.value("OPERATOR_APPROVALS", kind.wholeNumber(1, 2), 1, `${leaveOut} (1).`),
})

const readPix = (reader: SettingReader, production: boolean) => ({
  pixMerchantName: reader.value(
    "PIX_MERCHANT_NAME",
    kind.asciiText(25),
    "CORRENTE",
    `${leaveOut} (CORRENTE).`,
  ),
  pixMerchantCity: reader.value(
    "PIX_MERCHANT_CITY",
    kind.asciiText(15),
    "SAO PAULO",
    `${leaveOut} (SAO PAULO).`,
  ),
  ...readAcquirers(reader, production),
})

/** Reads every setting and collects all problems; a wrong setting gets its default. */
export const readSettings = (
  environment: Environment,
): { readonly settings: ReadSettings; readonly problems: ReadonlyArray<string> } => {
  const reader = new SettingReader(environment)
  const nodeEnv = reader.value(
    "NODE_ENV",
    kind.oneOf("development", "test", "production"),
    "development",
    `${leaveOut} (development).`,
  )
  const production = nodeEnv === "production"
  const feedAndDelivery = readFeedAndDelivery(reader)
  checkRetention(reader, feedAndDelivery)
  const server = readServer(reader, production)
  const settings = {
    environment: nodeEnv,
    encryptionKeys: readEncryptionKeys(reader, production),
    passwordCost: readPasswordCost(reader, production),
    sessionIdleMillis: readSessionIdle(reader),
    ...server,
    replication: readReplication(reader, server.redisUrl === undefined),
    traces: readTraces(reader),
    ...feedAndDelivery,
    testRetentionMillis: readTestRetention(reader, feedAndDelivery.eventRetentionMillis),
    ...readPix(reader, production),
    exceptionRules: readExceptionRules(reader),
    faultPoint: readFaultPoint(reader, production),
  }
  return { settings, problems: reader.problems }
}
