import type { LogLevel, Redacted } from "effect"
import type { AcquirerSlug, AcquirersSettings } from "../acquirers/acquirerSettings.ts"
import type { EncryptionKeys } from "../crypto/encryptionKeys.ts"
import type { FaultPoint } from "./faultPoint.ts"
import type { Replication } from "./redisUrl.ts"

/** Where traces go, and which requests are traced (docs/operations.md#traces). */
export interface TracesSettings {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT` with `/v1/traces`. */
  readonly url: string
  /** What else calls to the collector send. */
  readonly headers: Redacted.Redacted<Readonly<Record<string, string>>> | undefined
  /** The share of requests that are traced, from 0 to 1. */
  readonly ratio: number
  readonly serviceName: string
}

/** Every setting of the service, parsed and checked (docs/operations.md#settings). */
export interface SettingsShape {
  readonly environment: "development" | "test" | "production"
  readonly logLevel: LogLevel.LogLevel
  readonly host: string
  /** 0 takes any free port. */
  readonly port: number
  /** The service's public address, without a trailing slash; undefined: derived from host and port. */
  readonly publicUrl: string | undefined
  /** Absolute path. */
  readonly dataDir: string
  readonly encryptionKeys: Redacted.Redacted<EncryptionKeys>
  /** Undefined: the service runs its own Redis under `dataDir`. */
  readonly redisUrl: Redacted.Redacted<string> | undefined
  /** Undefined: a write counts once the primary has it. */
  readonly replication: Replication | undefined
  /** Number of serving processes; if more than 1, the process that was started supervises them. */
  readonly processes: number
  readonly partitions: number
  /** Waits before attempts 2 to 6 of a delivery. */
  readonly retryScheduleMillis: ReadonlyArray<number>
  readonly eventRetentionMillis: number
  /** How long test mode keeps what has ended; no shorter than events. */
  readonly testRetentionMillis: number
  readonly sseLifetimeMillis: number
  readonly sseHeartbeatMillis: number
  /** Concurrent connections over all processes; undefined: as many as the limit of open files allows. */
  readonly connectionsMax: number | undefined
  /** The same per client address, except trusted proxies; undefined: a share of all, this machine excepted. */
  readonly connectionsPerAddressMax: number | undefined
  /** A request that would wait longer is refused at once (docs/contract/limits.md#admission). */
  readonly admissionTargetMillis: number
  /** Undefined: no limit. */
  readonly apiRateLimitPerSecond: number | undefined
  /** Interval at which one process of the service audits; undefined: never. */
  readonly auditIntervalMillis: number | undefined
  /** Undefined: nothing is traced. */
  readonly traces: TracesSettings | undefined
  /** What scrapes of `/metrics` must send; undefined: only this machine may. */
  readonly metricsToken: Redacted.Redacted<string> | undefined
  /** IP addresses and CIDR ranges whose `X-Forwarded-For` counts. */
  readonly trustedProxies: ReadonlyArray<string>
  /** Origins whose pages may use cookies, in the form of `URL.origin`. */
  readonly dashboardOrigins: ReadonlyArray<string>
  /** Origins exempt from the destination check, in the form of `URL.origin`. */
  readonly webhookAllowDestinations: ReadonlyArray<string>
  /** Absolute path of a PEM file that was readable at start. */
  readonly webhookCaFile: string | undefined
  readonly pixMerchantName: string
  readonly pixMerchantCity: string
  /** Serves live mode; the simulator serves test mode. */
  readonly liveAcquirer: AcquirerSlug
  readonly acquirers: AcquirersSettings
  /** The live acquirer's books are compared with ours from then on; undefined: all of them. */
  readonly booksFromMillis: number | undefined
  /** How often the live acquirer's books are compared with ours. */
  readonly reconcileIntervalMillis: number
  /** Bytes that the notices in each partition's inbox may take. */
  readonly inboxBytesMax: number
  /** When a payout is stuck, and how many operators an act on live money needs. */
  readonly exceptionRules: { readonly payoutStuckMillis: number; readonly operatorApprovals: number }
  /** bcrypt's cost of new password hashes. */
  readonly passwordCost: number
  /** How long a session lasts without use, in ms; operators' 30 minutes at the most. */
  readonly sessionIdleMillis: number
  readonly termsVersion: string
  /** The page that shows the terms; undefined: pages name them without a link. */
  readonly termsUrl: string | undefined
  /** Undefined: mails go to the `mail` stream. */
  readonly smtpUrl: Redacted.Redacted<string> | undefined
  /** The sender of mails. */
  readonly mailFrom: string
  /** For tests: where the process kills itself; undefined in production. */
  readonly faultPoint: FaultPoint | undefined
}
