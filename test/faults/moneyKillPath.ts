import { limits } from "../../schema/limits.ts"
import type { Answer } from "../e2e/support/client.ts"
import type { DashboardClient } from "../e2e/support/dashboardClient.ts"
import { changeSeller } from "../e2e/support/withdrawals.ts"
import type { LaneSettings } from "./moneyKillLane.ts"
import { type Books, patiently, type World } from "./moneyKillWorld.ts"

/** A path of money, from its first request until it is at rest. */
export interface Path {
  /** Sets up what the path needs. */
  readonly prepare: (world: World) => Promise<void>
  /** Plays every part, whatever happens to the process: callers, operator, PSP, payer and time. */
  readonly play: (world: World) => Promise<void>
  /** The port calls that it passes, in order; a timer's counts only if it is about a resource such as `[wd_]`. */
  readonly calls: ReadonlyArray<string>
  /** Calls before those, which contain nothing that fault points could count from; they read. */
  readonly firstReads?: ReadonlyArray<string>
  readonly books: Books
  /** Settings of its processes. */
  readonly settings?: LaneSettings
}

/** An Idempotency-Key with the tag, so that the path's first call contains it. */
export const keyOf = ({ tag }: World): string => `${tag}_key`

/** Throws where an answer has another status. */
export const mustBe = (status: number, { status: found, text }: Answer<unknown>): void => {
  if (found !== status) throw new Error(`answered ${found}, not ${status}: ${text}`)
}

/** Makes a timer due, once it is set. */
export const comesDue = (world: World, timer: string) =>
  patiently(world, `${timer} to be set`, async () => (await world.lane.makeDue(timer)) || undefined)

/**
 * Waits, and once what the PSP does not know may be sent again, makes its poll due every other second: by then the service
 * itself polls rarely. `poll` is the timer's name with its resource.
 */
export const untilSent = (
  world: World,
  poll: string,
  what: string,
  holds: () => boolean | Promise<boolean>,
) => {
  let askAtMillis = Date.now() + limits.payoutResendAfterMillis + 1_000
  return patiently(world, `${poll} ${what}`, async () => {
    if (await holds()) return true
    if (Date.now() > askAtMillis) {
      askAtMillis += 2_000
      await world.lane.makeDue(poll)
    }
    return undefined
  })
}

/** An operator changes the seller's settings. */
export const changeSettings = async ({ operator, sellerId }: World, settings: object): Promise<void> => {
  const dashboard: DashboardClient = {
    ...operator,
    send: (method, path, body) => operator.request(method, path, body === undefined ? {} : { body }),
  }
  await changeSeller(dashboard, { id: sellerId }, "settings", settings)
}

/** The calls of a notice until the acquirer is queried. */
export const noticing = ["inbox.receive", "timers.claim[inb_]", "timers.postpone[inb_]", "inbox.load"]

/** The events of a charge that is paid. */
export const paidEvents = ["transaction.created", "transaction.paid"]
