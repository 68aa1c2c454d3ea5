import type { LogLevel, Redacted } from "effect"
import type { FaultPoint } from "./faultPoint.ts"

/** The live partner by API Pix (decisions 3). */
export interface ApiPixSettings {
  readonly baseUrl: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted<string>
  /** Absolute paths of PEM files that were readable at start. */
  readonly certFile: string
  readonly keyFile: string
  readonly caFile: string | undefined
  /** Our own PIX key at the partner. */
  readonly pixKey: string
  /** Undefined: the proxy in front demands the partner's client certificate; production must say so. */
  readonly webhookSecret: Redacted.Redacted<string> | undefined
}

/** Every setting of the service (decisions 6), read, checked and with its unit in its name. */
export interface SettingsShape {
  readonly environment: "development" | "test" | "production"
  readonly logLevel: LogLevel.LogLevel
  readonly host: string
  /** 0 asks the system for a free one. */
  readonly port: number
  /** The service's address as others see it, without a slash at its end; undefined: derive it from host and port. */
  readonly publicUrl: string | undefined
  /** Absolute path. */
  readonly dataDir: string
  /** 32 bytes, for AES-256-GCM. */
  readonly encryptionKey: Redacted.Redacted<Uint8Array>
  /** undefined: the service runs a Redis of its own under `dataDir`. */
  readonly redisUrl: Redacted.Redacted<string> | undefined
  /** How many processes serve; above 1 the one that was started supervises them. */
  readonly processes: number
  readonly partitions: number
  /** Waits before attempts 2 to 6 of a delivery. */
  readonly retryScheduleMillis: ReadonlyArray<number>
  readonly eventRetentionMillis: number
  readonly sseLifetimeMillis: number
  readonly sseHeartbeatMillis: number
  /** Connections at a time, over all processes; undefined: what their open files allow. */
  readonly connectionsMax: number | undefined
  /** The same of one client address, trusted proxies excepted; undefined: a share of all, this machine excepted. */
  readonly connectionsPerAddressMax: number | undefined
  /** A request that would wait for longer is refused at once. */
  readonly admissionTargetMillis: number
  /** undefined: no limit. */
  readonly apiRateLimitPerSecond: number | undefined
  /** How often the service audits itself; undefined: never. */
  readonly auditIntervalMillis: number | undefined
  /** IP addresses and CIDR ranges whose `X-Forwarded-For` counts. */
  readonly trustedProxies: ReadonlyArray<string>
  /** Origins whose browsers may use cookies; as `URL.origin` writes them. */
  readonly dashboardOrigins: ReadonlyArray<string>
  /** Origins exempt from the destination check; as `URL.origin` writes them. */
  readonly webhookAllowDestinations: ReadonlyArray<string>
  /** Absolute path of a PEM file that was readable at start. */
  readonly webhookCaFile: string | undefined
  readonly pixLocationHost: string
  readonly pixMerchantName: string
  readonly pixMerchantCity: string
  readonly liveAcquirer: "simulator" | "api-pix"
  /** Undefined unless it is the live acquirer. */
  readonly apiPix: ApiPixSettings | undefined
  /** Signs notices of the simulator; undefined: it sends none. */
  readonly simulatorWebhookSecret: Redacted.Redacted<string> | undefined
  /** What the notices of each partition's inbox may take. */
  readonly inboxBytesMax: number
  readonly simulatorDelayMillis: number
  readonly simulatorChargeLatencyMillis: number
  readonly termsVersion: string
  /** undefined: mails go to the `mail` stream. */
  readonly smtpUrl: Redacted.Redacted<string> | undefined
  /** The sender of mails. */
  readonly mailFrom: string
  /** For tests: where the process is to die; undefined in production. */
  readonly faultPoint: FaultPoint | undefined
}
