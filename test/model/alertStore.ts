import { AlertStore, type ClaimedAlert, type OwedAlert } from "../../actors/ports/alertStore.ts"
import type { LedgerMovement } from "../../actors/ports/ledger.ts"
import { alertOfEvent, alertTimerName } from "../../actors/values/alertNames.ts"
import type { EventType } from "../../schema/events.ts"
import type { Feed } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { type AlertChannel, type AlertWhen, alertChannels } from "../../schema/names.ts"
import { type AlertState, atomicStep, type MemoryState } from "./state.ts"
import { dropTimer, setTimers } from "./timerQueue.ts"

const hourMillis = 60 * 60 * 1000

const stateOf = (state: MemoryState, sellerId: string): AlertState => {
  let found = state.alerts.get(sellerId)
  if (found === undefined) {
    found = { choice: undefined, owed: [], counts: new Map() }
    state.alerts.set(sellerId, found)
  }
  return found
}

const memberOf = ({ tries, channel, when, about }: OwedAlert): string =>
  `${tries} ${channel} ${when} ${about}`

const owe = (
  state: MemoryState,
  nowMillis: number,
  sellerId: string,
  channel: AlertChannel,
  when: AlertWhen,
  about: string,
): void => {
  const alerts = stateOf(state, sellerId)
  const hour = Math.floor(nowMillis / hourMillis)
  const name = `${hour} ${channel} ${when}`
  const count = (alerts.counts.get(name) ?? 0) + 1
  if (count > limits.alertsPerHourMax + 1) return
  const text = count > limits.alertsPerHourMax ? `held_back ${hour}` : about
  const alert: OwedAlert = { channel, when, about: text, tries: 0 }
  if (alerts.owed.some((other) => memberOf(other.alert) === memberOf(alert))) return
  alerts.owed.push({ alert, dueMillis: nowMillis })
  alerts.counts.set(name, count)
  setTimers(state, [{ resourceId: sellerId, name: alertTimerName, dueMillis: nowMillis }])
}

/** Owes an alert of live by the channels that were chosen for it. */
export const raiseAlert = (
  state: MemoryState,
  nowMillis: number,
  { sellerId, mode }: Feed,
  when: AlertWhen,
  about: string,
): void => {
  const choice = state.alerts.get(sellerId)?.choice
  if (mode !== "live" || choice === undefined) return
  for (const channel of alertChannels) {
    if (choice[channel].includes(when)) owe(state, nowMillis, sellerId, channel, when, about)
  }
}

/** Owes the alert of an event, if it is one. */
export const hearEvent = (
  state: MemoryState,
  nowMillis: number,
  feed: Feed,
  entry: { readonly type: string; readonly entryId: string },
): void => {
  const when = alertOfEvent[entry.type as EventType]
  if (when !== undefined) raiseAlert(state, nowMillis, feed, when, entry.entryId)
}

/** Owes what a movement of money gives reason for. */
export const watchMoney = (
  state: MemoryState,
  nowMillis: number,
  feed: Feed,
  { kind, postings, resourceId }: LedgerMovement,
  after: { readonly available: number; readonly entryId: string },
): void => {
  const gained = (bucket: string) => postings.find((posting) => posting.bucket === bucket)?.amount ?? 0
  const outside = Math.abs(gained("external"))
  const { balanceBelow = Number.NEGATIVE_INFINITY, chargeFrom = Number.POSITIVE_INFINITY } =
    state.alerts.get(feed.sellerId)?.choice ?? {}
  if (kind === "charge_chargeback" || kind === "charge_partial_chargeback") {
    raiseAlert(state, nowMillis, feed, "chargeback", `${outside} ${resourceId} ${after.entryId}`)
  }
  if (kind === "charge_paid" && outside >= chargeFrom) {
    raiseAlert(state, nowMillis, feed, "large_charge", `${outside} ${resourceId}`)
  }
  if (after.available < balanceBelow && after.available - gained("available") >= balanceBelow) {
    raiseAlert(state, nowMillis, feed, "balance_below", `${after.available} ${after.entryId}`)
  }
}

const plan = (state: MemoryState, sellerId: string): void => {
  const { owed } = stateOf(state, sellerId)
  if (owed.length === 0) {
    dropTimer(state, sellerId, alertTimerName)
    return
  }
  const dueMillis = Math.min(...owed.map((one) => one.dueMillis))
  setTimers(state, [{ resourceId: sellerId, name: alertTimerName, dueMillis }])
}

const inOrder = (left: AlertState["owed"][number], right: AlertState["owed"][number]): number =>
  left.dueMillis - right.dueMillis || (memberOf(left.alert) < memberOf(right.alert) ? -1 : 1)

const finish = (
  state: MemoryState,
  nowMillis: number,
  claimed: ClaimedAlert,
  againInMillis: number | undefined,
): { readonly kind: "finished" | "stale" } => {
  const { owed } = stateOf(state, claimed.sellerId)
  const at = owed.findIndex(
    ({ alert, dueMillis }) => memberOf(alert) === memberOf(claimed) && dueMillis === claimed.leaseEndMillis,
  )
  if (at < 0) return { kind: "stale" }
  owed.splice(at, 1)
  if (againInMillis !== undefined) {
    const { channel, when, about, tries } = claimed
    owed.push({ alert: { channel, when, about, tries: tries + 1 }, dueMillis: nowMillis + againInMillis })
  }
  plan(state, claimed.sellerId)
  return { kind: "finished" }
}

/** AlertStore over the memory state. */
export const makeAlertStore = (state: MemoryState): AlertStore["Service"] =>
  AlertStore.of({
    settings: (sellerId) => atomicStep(state, () => state.alerts.get(sellerId)?.choice?.settings),

    save: (sellerId, choice) =>
      atomicStep(state, () => {
        stateOf(state, sellerId).choice = choice
      }),

    raise: (sellerId, when, about) =>
      atomicStep(state, (nowMillis) => raiseAlert(state, nowMillis, { sellerId, mode: "live" }, when, about)),

    claim: (sellerId) =>
      atomicStep(state, (nowMillis) => {
        const { owed, choice } = stateOf(state, sellerId)
        const due = owed
          .filter(({ dueMillis }) => dueMillis <= nowMillis)
          .sort(inOrder)
          .slice(0, limits.alertsPerClaim)
        const leaseEndMillis = nowMillis + limits.alertLeaseMillis
        for (const one of due) one.dueMillis = leaseEndMillis
        plan(state, sellerId)
        return {
          settings: choice?.settings,
          claimed: due.map(({ alert }) => ({ ...alert, sellerId, leaseEndMillis })),
        }
      }),

    finish: (alert, againInMillis) =>
      atomicStep(state, (nowMillis) => finish(state, nowMillis, alert, againInMillis)),
  })
