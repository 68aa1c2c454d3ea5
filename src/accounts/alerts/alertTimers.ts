/**
 * How alerts are sent (docs/contract/notifications.md):
 * 1. A commit has owed them (src/store/alerts.lua), and the seller's timer is due.
 * 2. Those that are due are leased, a few at a time, and each is told by its channel: a mail, or a message to a URL.
 * 3. What was told is finished. What failed is due again later, and given up after its last try.
 *
 * If the process dies between 2 and 3, the lease ends and another tells it: twice at worst. What the seller has meanwhile chosen to hear
 * no more is dropped.
 */

import { hash } from "node:crypto"
import { Effect, FiberSet } from "effect"
import { AlertStore, type ClaimedAlert } from "../../../actors/ports/alertStore.ts"
import { RequestDelay } from "../../../actors/ports/requestDelay.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { Sender } from "../../../actors/ports/sender.ts"
import { fireEach } from "../../../actors/timers/fireEach.ts"
import { requestsFirst } from "../../../actors/timers/requestsFirst.ts"
import { alertTimerName } from "../../../actors/values/alertNames.ts"
import { limits } from "../../../schema/limits.ts"
import type { Alert } from "../../../schema/resources/notifications.ts"
import { type AlertText, alertText } from "../../mail/alertTexts.ts"
import { Mailer } from "../../mail/mailer.ts"
import { OwnAddress } from "../../mail/ownAddress.ts"
import { Users } from "../users/users.ts"
import { alertMessage } from "./alertMessage.ts"
import { makeAlertNews } from "./alertNews.ts"
import { Alerts, alertOf } from "./alerts.ts"

/** Waits between tries; after the last there is none. */
const waitsMillis: ReadonlyArray<number> = [60_000, 300_000, 900_000, 3_600_000]

/** What became of a try. */
type Told = "done" | "failed" | "useless"

/** The same for each try, so that receivers may tell a repetition. */
const idOf = ({ sellerId, when, about }: ClaimedAlert): string =>
  `alert_${hash("sha256", `${sellerId} ${when} ${about}`, "hex").slice(0, 32)}`

const makeTell = Effect.gen(function* () {
  const sellers = yield* SellerStore
  const users = yield* Users
  const mailer = yield* Mailer
  const sender = yield* Sender
  const { base } = yield* OwnAddress

  const mail = Effect.fnUntraced(function* ({ sellerId, when }: ClaimedAlert, text: AlertText) {
    const seller = yield* sellers.get(sellerId)
    const user = seller && (yield* users.find(seller.userId))
    if (user === undefined) return "useless"
    const lines = [...text.lines, "", `Ver no painel: ${base()}${text.path}`]
    const why = `Você escolhe os alertas em ${base()}/app/settings/alerts.`
    const sent = mailer.handIn({
      to: user.email,
      subject: text.subject,
      purpose: `alert_${when}`,
      text: [...lines, why, "", "Corrente"].join("\n"),
    })
    return yield* Effect.match(sent, {
      onSuccess: (): Told => "done",
      onFailure: ({ isFinal }): Told => (isFinal ? "useless" : "failed"),
    })
  })

  const post = (alert: ClaimedAlert, url: string, text: AlertText) => {
    const message = [text.subject, ...text.lines, base() + text.path].join("\n")
    return Effect.map(
      sender.send(alertMessage({ url, id: idOf(alert), text: message, attempt: alert.tries + 1 })),
      ({ outcome, retriable }): Told => {
        if (outcome === "success") return "done"
        return retriable ? "failed" : "useless"
      },
    )
  }

  return (alert: ClaimedAlert, url: string | undefined, text: AlertText) =>
    alert.channel === "mail" || url === undefined ? mail(alert, text) : post(alert, url, text)
})

/** Whether the seller still wants to hear of it this way. */
const isWanted = ({ channel }: ClaimedAlert, chosen: Alert | undefined): chosen is Alert =>
  chosen !== undefined && (channel === "mail" ? chosen.mail : chosen.url !== undefined)

/** The timers of sellers to whom alerts are owed. */
export const alertTimers = Effect.gen(function* () {
  const store = yield* AlertStore
  const alerts = yield* Alerts
  const requests = yield* RequestDelay
  const newsOf = yield* makeAlertNews
  const tell = yield* makeTell
  const running = yield* FiberSet.make()

  const tryToTell = Effect.fnUntraced(function* (alert: ClaimedAlert, chosen: Alert | undefined) {
    if (!isWanted(alert, chosen)) return "done"
    const news = yield* newsOf(alert, chosen.min_amount ?? 0)
    return news === undefined ? "done" : yield* tell(alert, chosen.url, alertText(news))
  })

  /** One that breaks is given up: it would break every time. */
  const told = (alert: ClaimedAlert, chosen: Alert | undefined) =>
    Effect.catchDefect(tryToTell(alert, chosen), (defect) =>
      Effect.as(Effect.logError(`an alert of ${alert.when} broke`, defect), "useless" as const),
    )

  const handle = Effect.fnUntraced(function* (alert: ClaimedAlert, chosen: Alert | undefined) {
    const end = yield* told(alert, chosen)
    const wait = end === "failed" ? waitsMillis[alert.tries] : undefined
    if (end !== "done" && wait === undefined) {
      yield* Effect.logWarning(
        `an alert of ${alert.when} to ${alert.sellerId} by ${alert.channel} was given up`,
      )
    }
    yield* store.finish(alert, wait)
  })

  const tellAll = Effect.fnUntraced(function* (sellerId: string) {
    for (;;) {
      yield* requestsFirst(requests)
      const { settings, claimed } = yield* store.claim(sellerId)
      if (claimed.length === 0) return
      const chosen = alerts.open(sellerId, settings)
      yield* Effect.forEach(claimed, (alert) => handle(alert, alertOf(chosen, alert.when)), {
        concurrency: "unbounded",
        discard: true,
      })
    }
  })

  return fireEach([alertTimerName], ({ resourceId }) =>
    Effect.flatMap(FiberSet.size(running), (size) => {
      if (size >= limits.alertSellersInProcessMax) return Effect.void
      const all = Effect.catchCause(tellAll(resourceId), (cause) =>
        Effect.logDebug(`alerts of ${resourceId} are told later`, cause),
      )
      return Effect.asVoid(FiberSet.run(running, all))
    }),
  )
})
