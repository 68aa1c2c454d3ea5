import { Effect, Schema } from "effect"
import type { ClaimedAlert } from "../../../actors/ports/alertStore.ts"
import { EndpointStore } from "../../../actors/ports/endpointStore.ts"
import { EventLog } from "../../../actors/ports/eventLog.ts"
import { ExceptionStore } from "../../../actors/ports/exceptionStore.ts"
import {
  parseException,
  parseRefund,
  parseWithdrawal,
  storedReader,
} from "../../../actors/values/storedDocuments.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { limits } from "../../../schema/limits.ts"
import type { AlertWhen } from "../../../schema/names.ts"
import type { AlertNews } from "../../mail/alertTexts.ts"

const parseDisabled = storedReader(
  "disabled endpoint",
  Schema.Struct({ webhook_endpoint: Schema.Struct({ host: Schema.String }) }),
)

/** What the store says that an alert is about, as words. */
interface About {
  readonly sellerId: string
  readonly words: ReadonlyArray<string>
  /** The amount that the seller has set. */
  readonly minimum: number
}

type ReadNews = (about: About) => Effect.Effect<AlertNews | undefined, StoreUnavailable>

/** Makes a program that reads what an alert is to tell; undefined where that is kept no more. */
export const makeAlertNews = Effect.gen(function* () {
  const log = yield* EventLog
  const endpoints = yield* EndpointStore
  const exceptions = yield* ExceptionStore

  const ofEvent =
    (read: (type: string, data: string) => AlertNews): ReadNews =>
    ({ sellerId, words: [entryId = ""] }) =>
      Effect.map(log.getMany({ sellerId, mode: "live" }, [entryId]), ([entry]) =>
        entry === undefined ? undefined : read(entry.type, entry.data),
      )

  const ofMoney =
    (when: "chargeback" | "large_charge"): ReadNews =>
    ({ words: [amount, id = ""] }) =>
      Effect.succeed({ when, id, amount: Number(amount) })

  const readers: Readonly<Record<AlertWhen, ReadNews>> = {
    endpoint_failing: Effect.fnUntraced(function* ({ sellerId, words: [endpointId = "", since, attempts] }) {
      const fields = yield* endpoints.get({ feed: { sellerId, mode: "live" }, endpointId })
      const host = URL.parse(fields?.url ?? "")?.host
      return host === undefined
        ? undefined
        : { when: "endpoint_failing", host, sinceMillis: Number(since), attempts: Number(attempts) }
    }),
    endpoint_disabled: ofEvent((_, data) => ({
      when: "endpoint_disabled",
      host: parseDisabled(data).webhook_endpoint.host,
    })),
    payout_failed: ofEvent((type, data) => {
      const { id, amount } = parseWithdrawal(data)
      return { when: "payout_failed", id, amount, wasReturned: type === "withdrawal.returned" }
    }),
    payout_stuck: ({ words: [exceptionId = ""] }) =>
      Effect.map(exceptions.load(exceptionId), (stored) => {
        if (stored === undefined) return undefined
        const { resource_id, amount } = parseException(stored.document)
        return { when: "payout_stuck", id: resource_id ?? undefined, amount }
      }),
    chargeback: ofMoney("chargeback"),
    refund_failed: ofEvent((_, data) => {
      const { id, transaction_id: chargeId, amount } = parseRefund(data)
      return { when: "refund_failed", id, chargeId, amount }
    }),
    large_charge: ofMoney("large_charge"),
    balance_below: ({ words: [available], minimum }) =>
      Effect.succeed({ when: "balance_below", available: Number(available), minimum }),
    new_sign_in: ({ words: [, ...device] }) =>
      Effect.succeed({ when: "new_sign_in", device: device.join(" ") }),
  }

  return ({ sellerId, when, about }: ClaimedAlert, minimum: number) => {
    const words = about.split(" ")
    const isHeldBack = words[0] === "held_back"
    return isHeldBack
      ? Effect.succeed<AlertNews>({ when: "held_back", of: when, max: limits.alertsPerHourMax })
      : readers[when]({ sellerId, words, minimum })
  }
})
