import { expect } from "vitest"
import type { ApiAnswer } from "../support/apiClient.ts"
import type { EventFollower } from "../support/eventFollower.ts"
import { until } from "../support/until.ts"
import { whileOverloaded } from "../support/whileOverloaded.ts"
import { charge, type Stage } from "./stage.ts"

/** How many control frames of a kind a follower has had. */
export const countOf = (follower: EventFollower, event: string): number =>
  follower.controls.filter((control) => control.event === event).length

/** Waits until the stream under load has had another `reconnect`. */
export const waitForReconnect = ({ follower }: Stage, reconnectsBefore: number): Promise<void> =>
  until("the stream to get a reconnect", () => countOf(follower, "reconnect") > reconnectsBefore)

/** Checks the service while Redis is away: what needs Redis is answered 503, and everything else works. */
export const expectAway = async ({ bystander: { client } }: Stage): Promise<void> => {
  const requests = [() => charge(client, "while-away"), () => client.get("/v1/transactions")]
  for (const request of requests) {
    const answer = await whileOverloaded(request)
    expect(answer.status).toBe(503)
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0)
    // The store's own message, not that of the front end, which waits longer.
    expect(answer.json()).toMatchObject({
      error: {
        type: "internal_error",
        code: "service_unavailable",
        message: expect.stringContaining("cannot reach its store"),
      },
    })
  }
  const ready = await client.get("/ready")
  expect(ready.status).toBe(503)
  expect(ready.json()).toMatchObject({ status: "degraded", checks: { redis: { error: expect.any(String) } } })
  expect((await client.get("/health")).status).toBe(200)
}

/** Returns a function that gives the charges of the items added from now on. */
const idsFromNowOn = <Item>(items: ReadonlyArray<Item>, idOf: (item: Item) => string | undefined) => {
  const ids = new Set<string | undefined>()
  let seen = items.length
  return () => {
    for (; seen < items.length; seen += 1) ids.add(idOf(items[seen] as Item))
    return ids
  }
}

/** Whether `/ready` reports no problem but a seller's load, which a busy machine cannot take; others are served all the same. */
const isReadyButForLoad = (ready: ApiAnswer): boolean => {
  if (ready.status === 200) return true
  const { checks } = ready.json() as { readonly checks?: Readonly<Record<string, unknown>> }
  if (checks === undefined) return false
  return Object.entries(checks).every(([name, check]) => name === "load" || typeof check === "string")
}

/**
 * Waits until everything works: a new charge of a seller without a backlog is answered, paid, followed and delivered,
 * and the seller under load is served too.
 */
export const expectFullFunction = async ({ load, follower, receiver, bystander }: Stage): Promise<void> => {
  const since = { charges: load.charges.length, frames: follower.events.length }
  const delivered = idsFromNowOn(receiver.requests, ({ body }) => /"(txn_[0-9A-Z]+)"/.exec(body)?.[1])
  let id: string | undefined
  const missing = async () => {
    const ready = await bystander.client.get("/ready")
    if (!isReadyButForLoad(ready)) return `/ready says ${ready.status} ${ready.text}`
    if (id === undefined) {
      const answer = await charge(bystander.client, `probe-${since.charges}`)
      if (answer.status !== 201) return `a charge is answered ${answer.status}`
      id = (answer.json() as { id: string }).id
    }
    const events = bystander.follower.events.filter(({ resourceId }) => resourceId === id)
    if (!events.some(({ type }) => type === "transaction.paid")) return "the charge is not seen paid"
    if (!delivered().has(id)) return "the charge's event is not delivered"
    if (!load.charges.slice(since.charges).some(({ created }) => created)) return "the load is not answered"
    return follower.events.length > since.frames ? undefined : "the stream under load gets nothing"
  }
  let found: string | undefined
  const works = async () => {
    found = await missing()
    return found === undefined
  }
  await until(() => `full function: ${found}`, works)
}
