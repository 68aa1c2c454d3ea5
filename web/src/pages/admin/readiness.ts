import { CorrenteError } from "../../../../client/src/errors.ts"
import type { ServiceHealth } from "../../../../schema/api/operations.ts"

/** One check of `/ready`: `ok`, `skipped`, or what is wrong. */
export type Check = string | { readonly error: string }

export interface Ready {
  readonly status: string
  readonly checks: Readonly<Record<string, Check>>
}

/** What is wrong with a check; undefined where nothing is. */
export const checkError = (check: Check | undefined): string | undefined =>
  typeof check === "object" ? check.error : undefined

const isReady = (body: unknown): body is Ready =>
  typeof body === "object" && body !== null && "checks" in body && "status" in body

/** Reads `/ready`, whose 503 is an answer like any other. Fails with CorrenteError. */
export const readReady = async (signal: AbortSignal): Promise<Ready> => {
  try {
    const response = await fetch("/ready", { signal, headers: { accept: "application/json" } })
    const body: unknown = await response.json()
    if (isReady(body)) return body
    throw new CorrenteError({ code: "service_unavailable", message: "The service did not say how it is." })
  } catch (cause) {
    if (cause instanceof CorrenteError) throw cause
    throw new CorrenteError({ code: "network_error", message: String(cause), cause })
  }
}

/** Why payouts and refunds of live wait; undefined where they do not. */
export type Freeze = "exceptions" | "books" | undefined

/** Why payouts are frozen, by the health of the service (undefined: not read yet) and what is open. */
export const freezeOf = (
  payouts: Pick<ServiceHealth["payouts"], "is_frozen"> | undefined,
  freezingExceptions: number,
): Freeze => {
  if (freezingExceptions > 0) return "exceptions"
  return payouts?.is_frozen === true ? "books" : undefined
}
