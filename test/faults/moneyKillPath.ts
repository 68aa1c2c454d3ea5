import type { Answer } from "../e2e/support/client.ts"
import type { DashboardClient } from "../e2e/support/dashboardClient.ts"
import { changeSeller } from "../e2e/support/withdrawals.ts"
import { type Books, patiently, type World } from "./moneyKillWorld.ts"

/** A way that money takes, from its first request to its rest. */
export interface Path {
  /** What is there before it. */
  readonly prepare: (world: World) => Promise<void>
  /** Everybody's part in it, whatever becomes of the process: callers, operator, PSP, payer and time. */
  readonly play: (world: World) => Promise<void>
  /** The calls of the ports that it passes, in turn; `[wd_]` is what a timer must be about to count. */
  readonly calls: ReadonlyArray<string>
  readonly books: Books
}

/** The tag is in the Idempotency-Key, so the first call of the path holds it. */
export const keyOf = ({ tag }: World): string => `${tag}_key`

export const mustBe = (status: number, { status: found, text }: Answer<unknown>): void => {
  if (found !== status) throw new Error(`answered ${found} and not ${status}: ${text}`)
}

/** Makes a timer due, once it is set. */
export const comesDue = (world: World, timer: string) =>
  patiently(world, `${timer} to be set`, async () => (await world.lane.makeDue(timer)) || undefined)

/** An operator changes the seller's settings. */
export const changeSettings = async ({ operator, sellerId }: World, settings: object): Promise<void> => {
  const dashboard: DashboardClient = {
    ...operator,
    send: (method, path, body) => operator.request(method, path, body === undefined ? {} : { body }),
  }
  await changeSeller(dashboard, { id: sellerId }, "settings", settings)
}

/** What a notice passes until the partner is asked. */
export const noticing = ["inbox.receive", "timers.claim[inb_]", "timers.postpone[inb_]", "inbox.load"]

/** The events of a charge that is paid. */
export const paidEvents = ["transaction.created", "transaction.paid"]
