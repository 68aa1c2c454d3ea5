import { readFileSync } from "node:fs"
import { storedHeaders } from "../../actors/delivery/sentHeaders.ts"
import { makeId } from "../../schema/ids.ts"
import type { Delivery } from "../../schema/resources/delivery.ts"
import { attemptHeaders } from "../../src/delivery/sender/headers.ts"
import { randomIdBytes } from "./randomIds.ts"

export interface PeerDelivery {
  readonly endpoint: number
  readonly eventId: string
  readonly type: string
  readonly body: string
  /** Counted from 1. */
  readonly attempt: number
}

export interface PeerOutcome {
  /** Null without a response. */
  readonly statusCode: number | null
  readonly responseMillis: number
  readonly excerpt: string | null
  /** Null for a 2xx. */
  readonly error: string | null
}

export interface PeerRequest {
  readonly deliveryId: string
  readonly origin: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: Buffer
}

interface PeerEndpoint {
  readonly url: string
  readonly origin: string
  readonly path: string
  readonly secret: string
}

const readEndpoints = (file: string): ReadonlyArray<PeerEndpoint> =>
  (JSON.parse(readFileSync(file, "utf8")) as ReadonlyArray<Pick<PeerEndpoint, "url" | "secret">>).map(
    ({ url, secret }) => ({ url, origin: new URL(url).origin, path: new URL(url).pathname, secret }),
  )

export interface PeerSettings {
  readonly redisUrl: string
  readonly ca: string
  readonly endpoints: ReadonlyArray<PeerEndpoint>
  /** `[n - 1]` is the wait after attempt n fails. */
  readonly retryMillis: ReadonlyArray<number>
}

/** Reads REDIS_URL, WEBHOOK_CA_FILE, ENDPOINTS_FILE and RETRY_SCHEDULE_SECONDS. */
export const readPeerSettings = (): PeerSettings => ({
  redisUrl: process.env.REDIS_URL ?? "",
  ca: readFileSync(process.env.WEBHOOK_CA_FILE ?? "", "utf8"),
  endpoints: readEndpoints(process.env.ENDPOINTS_FILE ?? ""),
  retryMillis: (process.env.RETRY_SCHEDULE_SECONDS ?? "")
    .split(",")
    .map((seconds) => Number(seconds) * 1_000),
})

/** The service's timeout of a request, lease of a claim, and size of a kept response. */
export const attemptTimeoutMillis = 10_000
export const leaseMillis = 20_000
export const excerptBytesMax = 1_024

export const attemptKeyOf = (deliveryId: string): string => `attempt:${deliveryId}`

/** Makes an attempt's request, with the service's headers and signatures, byte for byte as many. */
export const requestOf = (settings: PeerSettings, delivery: PeerDelivery): PeerRequest => {
  const endpoint = settings.endpoints[delivery.endpoint]
  if (endpoint === undefined) throw new Error(`unknown endpoint ${delivery.endpoint}`)
  const { origin, path } = endpoint
  const deliveryId = makeId("whd_", Date.now(), 0, randomIdBytes())
  const body = Buffer.from(delivery.body)
  const headers = attemptHeaders(
    {
      url: endpoint.url,
      body: delivery.body,
      secrets: [endpoint.secret],
      secretRequired: true,
      eventId: delivery.eventId,
      eventType: delivery.type,
      deliveryId,
      attempt: delivery.attempt,
    },
    body,
    Math.floor(Date.now() / 1_000),
  )
  return { deliveryId, origin, path, headers, body }
}

export const outcomeOf = (statusCode: number, startedMillis: number, excerpt: string): PeerOutcome => ({
  statusCode,
  responseMillis: Math.round(performance.now() - startedMillis),
  excerpt,
  error: statusCode >= 200 && statusCode < 300 ? null : `http_${statusCode}`,
})

export const failureOf = (error: unknown, startedMillis: number): PeerOutcome => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  const isTimeout = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT"
  return {
    statusCode: null,
    responseMillis: Math.round(performance.now() - startedMillis),
    excerpt: null,
    error: isTimeout ? "timeout" : "connection_error",
  }
}

/** The wait before the next attempt; undefined if the delivery has ended. */
export const retryMillisOf = (
  settings: PeerSettings,
  attempt: number,
  outcome: PeerOutcome,
): number | undefined => (outcome.error === null ? undefined : settings.retryMillis[attempt - 1])

/** The record of an attempt: the service's JSON, with as many bytes. */
export const recordOf = (
  delivery: PeerDelivery,
  { deliveryId, origin, headers }: PeerRequest,
  outcome: PeerOutcome,
  isLast: boolean,
): { readonly row: string; readonly detail: string } => {
  const failed = isLast ? "dead" : "failed"
  const row: Delivery = {
    id: deliveryId,
    event_id: delivery.eventId,
    event_type: delivery.type,
    endpoint_id: `we_${String(delivery.endpoint).padStart(26, "0")}`,
    target: "endpoint",
    attempt: delivery.attempt,
    status: outcome.error === null ? "success" : failed,
    status_code: outcome.statusCode,
    response_ms: outcome.statusCode === null ? null : outcome.responseMillis,
    error: outcome.error,
    created_at: new Date().toISOString(),
    target_host: origin.slice("https://".length),
  }
  const detail = { request_headers: storedHeaders(row, headers), response_body_excerpt: outcome.excerpt }
  return { row: JSON.stringify(row), detail: JSON.stringify(detail) }
}
