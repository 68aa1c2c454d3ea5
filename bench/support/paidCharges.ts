import type { Redis } from "ioredis"
import { makeId, partitionOfId, txidOf } from "../../schema/ids.ts"
import * as keys from "../../src/store/keys.ts"
import { digestsOf } from "../../src/store/series/chargeLookup.ts"
import type { SideBackend } from "./sides.ts"

/** Charges of a pipeline. */
const chargesAtOnce = 500

type Fields = Readonly<Record<string, string>>

const fieldsOf = (values: ReadonlyArray<string>): Fields =>
  Object.fromEntries(values.flatMap((name, i) => (i % 2 === 0 ? [[name, values[i + 1] ?? ""]] : [])))

/** A paid charge of a seller, and everything that its creation and payment wrote for good. */
interface Model {
  readonly id: string
  readonly hash: Fields
  /** Its two events and its ledger entry: their fields. */
  readonly events: ReadonlyArray<Fields>
  readonly movement: Fields
  readonly balance: Fields
}

const readModel = async (
  client: Redis,
  feed: { readonly sellerId: string; readonly mode: "test" },
): Promise<Model> => {
  const [id = "", ...others] = await client.zrange(
    keys.transactionsKey(feed.sellerId, feed.mode, "paid"),
    "0",
    "-1",
  )
  const events = await client.xrange(keys.eventsKey(feed), "-", "+")
  const [movement, ...movements] = await client.xrange(keys.ledgerKey(feed), "-", "+")
  if (
    id === "" ||
    others.length > 0 ||
    events.length !== 2 ||
    movement === undefined ||
    movements.length > 0
  ) {
    throw new Error("the model is not one charge that was created and paid")
  }
  return {
    id,
    hash: await client.hgetall(keys.transactionKey(id)),
    events: events.map(([, values]) => fieldsOf(values)),
    movement: fieldsOf(movement[1]),
    balance: await client.hgetall(keys.balanceKey(feed)),
  }
}

/** Multiplies the numbers in a text such as `available:100 reserve:0`. */
const times = (text: string, count: number): string =>
  text.replace(/-?\d+/g, (number) => String(Number(number) * count))

/** Makes what writes a text about the model for other charges: with their ids and txids. */
const renamer = (modelId: string) => {
  const [txid, ulid] = [txidOf(modelId), modelId.slice("txn_".length)]
  return (text: string): ((id: string) => string) => {
    const parts = text.split(txid).map((part) => part.split(ulid))
    return (id) => parts.map((part) => part.join(id.slice("txn_".length))).join(txidOf(id))
  }
}

const hourMillis = 3_600_000

/** Writes what plots count of charges that were created and paid at these times, a millisecond apart, in place of what was there. */
const countHours = async (
  client: Redis,
  feed: { readonly sellerId: string; readonly mode: "test" },
  {
    beginMillis,
    count,
    amount,
  }: { readonly beginMillis: number; readonly count: number; readonly amount: number },
): Promise<void> => {
  const earlier = await client.keys(keys.seriesKey(feed, "*"))
  if (earlier.length > 0) await client.del(earlier)
  const endMillis = beginMillis + count
  for (let hour = Math.floor(beginMillis / hourMillis); hour * hourMillis < endMillis; hour++) {
    const [from, to] = [hour * hourMillis, (hour + 1) * hourMillis]
    const charges = Math.min(to, endMillis) - Math.max(from, beginMillis)
    const fields = { created: charges, paid: charges, amount: charges * amount }
    const named = Object.entries(fields).map(([name, value]) => [`${hour % 24}:${name}`, value])
    await client.hset(keys.seriesKey(feed, Math.floor(hour / 24)), Object.fromEntries(named))
  }
}

const flat = (fields: Fields): ReadonlyArray<string> => Object.entries(fields).flat()

/**
 * Multiplies the one charge of a side's seller, which the service's own functions created and paid: `count` charges take its
 * place, a millisecond apart and up to now, with the hashes, events, ledger entries, indexes and sums that so many creations and
 * payments leave. Several times as fast. Their documents keep the model's times.
 */
export const multiplyPaidCharge = async (
  { redis: { client }, sellerId }: Pick<SideBackend, "redis" | "sellerId">,
  count: number,
  onStored: (stored: number) => void,
): Promise<void> => {
  const feed = { sellerId, mode: "test" } as const
  const model = await readModel(client, feed)
  const [indexes, paidIndex] = [
    keys.transactionsKey(sellerId, "test"),
    keys.transactionsKey(sellerId, "test", "paid"),
  ]
  const streams = { events: keys.eventsKey(feed), ledger: keys.ledgerKey(feed), feed: keys.feedKey(feed) }
  const lookups = keys.lookupKey(feed)
  await client.del(keys.transactionKey(model.id), indexes, paidIndex, lookups, ...Object.values(streams))
  const [partition, beginMillis] = [partitionOfId(model.id) ?? 0, Date.now() - count]
  const rename = renamer(model.id)
  const documents = rename(model.hash.document ?? "")
  const data = model.events.map((event) => rename(event.data ?? ""))

  const add = (pipeline: ReturnType<Redis["pipeline"]>, i: number): string => {
    const millis = beginMillis + i
    const random = new Uint8Array(14)
    new DataView(random.buffer).setUint32(0, i)
    const id = makeId("txn_", millis, partition, random)
    const entries = model.events.map((_, at) => `${millis}-${at}`)
    pipeline.hset(keys.transactionKey(id), {
      ...model.hash,
      document: documents(id),
      events: entries.join(" "),
    })
    for (const [at, event] of model.events.entries()) {
      const seq = String(model.events.length * i + at + 1)
      const fields = { ...event, seq, resource: id, data: data[at]?.(id) ?? "" }
      pipeline.xadd(streams.events, entries[at] ?? "*", ...flat(fields))
    }
    const movement = {
      ...model.movement,
      ...{ seq: String(i + 1), resource: id, event: entries.at(-1) ?? "" },
      balance: times(model.movement.balance ?? "", i + 1),
    }
    pipeline.xadd(streams.ledger, `${millis}-0`, ...flat(movement))
    return id
  }

  for (let begin = 0; begin < count; begin += chargesAtOnce) {
    const end = Math.min(count, begin + chargesAtOnce)
    const pipeline = client.pipeline()
    const members: Array<string | number> = []
    const found: Array<string | number> = []
    for (let i = begin; i < end; i++) {
      const id = add(pipeline, i)
      members.push(0, id)
      for (const digest of digestsOf(documents(id))) found.push(0, `${digest} ${id}`)
    }
    pipeline
      .zadd(indexes, ...members)
      .zadd(paidIndex, ...members)
      .zadd(lookups, ...found)
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error
    onStored(end)
  }
  const { amount } = JSON.parse(model.hash.document ?? "{}") as { readonly amount: number }
  await countHours(client, feed, { beginMillis, count, amount })
  const last = `${beginMillis + count - 1}-${model.events.length - 1}`
  await client.hset(streams.feed, { seq: String(model.events.length * count), last })
  const sums = Object.entries(model.balance).map(([name, value]) => [name, times(value, count)])
  await client.hset(keys.balanceKey(feed), Object.fromEntries(sums))
}
