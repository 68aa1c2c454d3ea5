import { timerNames } from "../../actors/seller/decisions/transactionTransitions.ts"
import { lookupTermsOf } from "../../src/store/chargeLookup.ts"
import * as keys from "../../src/store/keys.ts"
import type { LoadResult } from "../load/generator.ts"
import { type Check, problemsCheck } from "../report/result.ts"
import { type Load, runWindow } from "./load.ts"
import { compact } from "./redisServer.ts"
import type { Side } from "./sides.ts"

const pageSize = 1_000

/** Charges found in a side's Redis, the sum of their amounts, and their first events. */
interface Stored {
  readonly charges: number
  readonly amountSum: number
  readonly events: number
}

/** Reads charges of a side's seller and removes them with their events, timers and what they are found by. */
const takeCharges = async ({ redis: { client }, sellerId }: Side, ids: ReadonlyArray<string>) => {
  const feed = { sellerId, mode: "test" } as const
  const chargeKeys = ids.map(keys.transactionKey)
  const found = await client
    .pipeline(chargeKeys.map((key) => ["hmget", key, "document", "events", "customer"]))
    .exec()
  const charges = (found ?? []).map(([error, fields], at) => {
    if (error !== null) throw error
    const [document, entryId, customer] = fields as ReadonlyArray<string | null>
    return {
      id: ids[at],
      document: document ?? "",
      entryId: entryId ?? "0-0",
      customer: customer ?? undefined,
    }
  })
  const readable = charges.filter(({ document }) => document !== "")
  const lookups = readable.flatMap(({ id, document, customer }) =>
    lookupTermsOf(document, customer).map((term) => `${term} ${id}`),
  )
  await client
    .pipeline([
      ["unlink", ...chargeKeys],
      ["xdel", keys.eventsKey(feed), ...charges.map(({ entryId }) => entryId)],
      ["zrem", keys.transactionsKey(sellerId, "test", "pending"), ...ids],
      ["zrem", keys.timersKey(keys.tagOf(sellerId)), ...ids.map((id) => `${id}:${timerNames.expire}`)],
      ...(lookups.length === 0 ? [] : [["zrem", keys.lookupKey(feed), ...lookups]]),
    ])
    .exec()
  const amounts = readable.map(({ document }) => (JSON.parse(document) as { readonly amount: number }).amount)
  return { charges: amounts.length, amountSum: amounts.reduce((sum, amount) => sum + amount, 0) }
}

/** Removes all idempotency records of a side's seller, and rewrites the append-only file. */
const clearRest = async ({ redis: { client }, sellerId }: Side): Promise<void> => {
  const pattern = keys.idempotencyKey(sellerId, "test", "transactions", "*")
  for await (const names of client.scanStream({ match: pattern, count: pageSize })) {
    if ((names as ReadonlyArray<string>).length > 0) await client.unlink(...(names as ReadonlyArray<string>))
  }
  await compact(client)
}

/**
 * Reads back all charges of a side's seller but the oldest `keep`, then removes them. So each round starts with the same
 * data, and a run of any length takes no more memory than its longest round. Every kept charge has one event. Where none is
 * kept, idempotency records go too, and the append-only file is rewritten.
 */
export const takeStored = async (side: Side, keep = 0): Promise<Stored> => {
  const { client } = side.redis
  const index = keys.transactionsKey(side.sellerId, "test")
  const events = (await client.xlen(keys.eventsKey({ sellerId: side.sellerId, mode: "test" }))) - keep
  let [charges, amountSum] = [0, 0]
  for (let extra = (await client.zcard(index)) - keep; extra > 0; extra -= pageSize) {
    const newest = await client.zpopmax(index, Math.min(extra, pageSize))
    const ids = newest.filter((_, at) => at % 2 === 0)
    const taken = await takeCharges(side, ids)
    charges += taken.charges
    amountSum += taken.amountSum
  }
  if (keep === 0) await clearRest(side)
  return { charges, amountSum, events }
}

/** A job's responses, each already checked by the load generator. */
type Answered = Pick<LoadResult, "answered" | "created" | "createdSum"> & {
  readonly problems: ReadonlyArray<string>
}

/**
 * Adds up what a side has acknowledged and what was read back from its Redis: a charge answered with 201 must be there with
 * its amount and its event, and nothing else may.
 */
export class Proof {
  readonly name: Side["name"]
  readonly side: Side
  readonly #title: string
  #acknowledged = { answered: 0, created: 0, createdSum: 0 }
  #stored: Stored = { charges: 0, amountSum: 0, events: 0 }
  #problems: ReadonlyArray<string> = []

  constructor(side: Side, title: string = side.name) {
    this.side = side
    this.name = side.name
    this.#title = title
  }

  /** Runs a window of load on the side, whose answers count. */
  async ask(load: Load, job: Parameters<typeof runWindow>[2]): Promise<LoadResult> {
    const result = await runWindow(load, this.side, job)
    this.answered(result)
    return result
  }

  answered({ answered, created, createdSum, problems }: Answered): void {
    const before = this.#acknowledged
    this.#acknowledged = {
      answered: before.answered + answered,
      created: before.created + created,
      createdSum: before.createdSum + createdSum,
    }
    this.#problems = [...this.#problems, ...problems].slice(0, 3)
  }

  /** Takes what the side has stored, but the oldest `keep` charges. */
  async readBack(keep = 0): Promise<void> {
    this.stored(await takeStored(this.side, keep))
  }

  stored({ charges, amountSum, events }: Stored): void {
    const before = this.#stored
    this.#stored = {
      charges: before.charges + charges,
      amountSum: before.amountSum + amountSum,
      events: before.events + events,
    }
  }

  checks(): ReadonlyArray<Check> {
    const { answered, created, createdSum } = this.#acknowledged
    const { charges, amountSum, events } = this.#stored
    const isStored = charges === created && events === created && amountSum === createdSum
    const stored = `${charges} read back (sum ${amountSum}), ${events} events`
    const detail = `all ${answered} as expected, ${answered - created} of them about existing charges`
    return [
      {
        name: `${this.#title}, charges`,
        isRight: created > 0 && isStored,
        detail: `${created} answered 201 (sum ${createdSum}), ${stored}`,
      },
      problemsCheck(`${this.#title}, answers`, this.#problems, detail, answered > 0),
    ]
  }
}
