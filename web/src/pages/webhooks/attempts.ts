import type { Delivery } from "../../../../schema/resources/delivery.ts"
import { api, type Page, type Query } from "../../api/http.ts"

const lookMillis = 500
/** An attempt takes 10 s at most, and waits for a place a little while the service is busy. */
const waitMillisMax = 30_000

const pause = (millis: number) => new Promise<void>((wake) => setTimeout(wake, millis))

/**
 * Waits until an attempt that was asked for has been made, and answers it: the list has it only then. Undefined where it is still
 * not made after 30 s, such as while it waits for its turn. `query` narrows the list that is looked at.
 */
export const attemptOf = async (id: string, query: Query): Promise<Delivery | undefined> => {
  for (const deadline = Date.now() + waitMillisMax; ; ) {
    const { data } = await api.get<Page<Delivery>>("/v1/me/webhook-deliveries", { ...query, limit: 20 })
    const found = data.find((attempt) => attempt.id === id)
    if (found !== undefined || Date.now() > deadline) return found
    await pause(lookMillis)
  }
}

/** Whether two attempts are of the same delivery: one event owed to one destination. */
export const isSameDelivery = (one: Delivery, other: Delivery): boolean =>
  one.event_id === other.event_id &&
  one.target === other.target &&
  one.endpoint_id === other.endpoint_id &&
  one.target_host === other.target_host

/** The share of attempts that succeeded, rounded down to a tenth of a percent so that 99.99 % is not shown as all. */
export const shareText = (share: number, language: string): string =>
  new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 }).format(
    Math.floor(share * 1_000) / 1_000,
  )
