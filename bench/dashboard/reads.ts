import { randomUUID } from "node:crypto"
import * as keys from "../../src/store/keys.ts"
import { createBody } from "../load/workloadCharges.ts"
import type { Check, Metric, Progress } from "../report/result.ts"
import { makeMetric } from "../report/result.ts"
import { formatNumber } from "../report/text.ts"
import { fillCharges } from "../support/filler.ts"
import type { Side } from "../support/sides.ts"
import { percentileOf } from "../support/statistics.ts"

/** What the pages of charges show at a time (web/src/pages/charges/charges.tsx). */
const pageSize = 25
/** What a search finds at most (docs/contract/limits.md#requests). */
const searchMax = 20
/** Requests before the measured ones of each kind: code is compiled and caches are warm by then. */
const warmUpRequests = 20

/** A seller with many charges, the oldest of which is unlike all others: paid, and of another customer. */
export interface ManyCharges {
  readonly side: Side
  /** The session's `Cookie`. */
  readonly cookie: string
  readonly stored: number
  readonly oldest: { readonly id: string; readonly created_at: string; readonly email: string }
}

const callService = async <A>({ port, apiKey }: Side, path: string, body: unknown): Promise<A> => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": randomUUID(),
    },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`POST ${path} was refused: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as A
}

/** Makes the oldest charge, then as many others as are wanted, all of them pending. */
export const makeManyCharges = async (
  side: Side,
  cookie: string,
  stored: number,
  progress: Progress,
): Promise<ManyCharges> => {
  const email = `${randomUUID()}@example.com`
  // The simulator never pays this amount (docs/contract/transactions.md#test-amounts): it is paid by the request below.
  const body = { ...createBody, amount: 1_000_001, customer: { ...createBody.customer, email } }
  const oldest = await callService<{ readonly id: string; readonly created_at: string }>(
    side,
    "/v1/transactions",
    body,
  )
  await callService(side, `/v1/test/transactions/${oldest.id}/pay`, {})
  const step = 100_000
  await fillCharges(side, stored - 1, {
    onStored: (count) => {
      if (count % step < 512) progress(`dashboard: ${formatNumber(count)} charges stored`)
    },
  })
  return { side, cookie, stored, oldest: { id: oldest.id, created_at: oldest.created_at, email } }
}

/** A request of the pages, and the ids that its answer must have. */
interface Read {
  readonly name: string
  readonly path: string
  readonly ids: ReadonlyArray<string>
}

const readsOf = async ({ side, oldest }: ManyCharges): Promise<ReadonlyArray<Read>> => {
  const list = `/v1/me/transactions?limit=${pageSize}`
  const index = keys.transactionsKey(side.sellerId, "test")
  const newest = await side.redis.client.zrange(index, "+", "-", "BYLEX", "REV", "LIMIT", 0, pageSize)
  const at = encodeURIComponent(oldest.created_at)
  return [
    { name: "first page", path: list, ids: newest },
    { name: "a status that nearly all have", path: `${list}&status=pending`, ids: newest },
    { name: "the oldest one's status", path: `${list}&status=paid`, ids: [oldest.id] },
    { name: "the oldest one's time", path: `${list}&from=${at}&to=${at}`, ids: [oldest.id] },
    {
      name: "search of an address that nearly all have",
      path: `/v1/me/search?q=${createBody.customer.email}`,
      ids: newest.slice(0, searchMax),
    },
    { name: "search of its address", path: `/v1/me/search?q=${oldest.email}`, ids: [oldest.id] },
    { name: "search of its id", path: `/v1/me/search?q=${oldest.id}`, ids: [oldest.id] },
  ]
}

/** One request after the other; their times in ms, and whether each answer had the right rows. */
const timesOf = async (many: ManyCharges, { path, ids }: Read, requests: number) => {
  const times: Array<number> = []
  const wrong: Array<string> = []
  for (let sent = 0; sent < warmUpRequests + requests; sent++) {
    const startedAt = performance.now()
    const answer = await fetch(`http://127.0.0.1:${many.side.port}${path}`, {
      headers: { cookie: many.cookie, "x-mode": "test" },
    })
    const text = await answer.text()
    const millis = performance.now() - startedAt
    if (sent >= warmUpRequests) times.push(millis)
    const data = answer.ok ? (JSON.parse(text) as { readonly data: ReadonlyArray<{ id: string }> }).data : []
    if (data.map(({ id }) => id).join() !== ids.join()) wrong.push(`${answer.status} ${text.slice(0, 200)}`)
  }
  return { times, wrong }
}

/** How long the lists and searches behind the pages take with many charges, one request at a time. */
export const measureReads = async (
  many: ManyCharges,
  requests: number,
): Promise<{ readonly metrics: ReadonlyArray<Metric>; readonly check: Check }> => {
  const metrics: Array<Metric> = []
  const wrong: Array<string> = []
  const reads = await readsOf(many)
  for (const read of reads) {
    const result = await timesOf(many, read, requests)
    wrong.push(...result.wrong.map((text) => `${read.name}: ${text}`))
    for (const percent of [50, 99]) {
      const name = `${formatNumber(many.stored)} charges, ${read.name}: p${percent}`
      metrics.push(makeMetric(name, "ms", { corrente: [percentileOf(result.times, percent)] }))
    }
  }
  const detail =
    wrong.length === 0
      ? `${reads.length} kinds of lists and searches, each answer with the right rows`
      : wrong.slice(0, 3).join("; ")
  return { metrics, check: { name: "lists and searches", isRight: wrong.length === 0, detail } }
}
