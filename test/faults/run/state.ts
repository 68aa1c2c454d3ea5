import { runOps } from "../../ops/cli.ts"
import { type ApiClient, apiClient } from "../../support/apiClient.ts"
import { pause } from "../../support/until.ts"
import type { FeedState, Listed, ListedEvent, State } from "./promises.ts"
import { feedOf, type World } from "./world.ts"

interface Envelope {
  readonly id: string
  readonly seq: number
  readonly type: string
  readonly internal: boolean
  readonly data: { readonly object: { readonly id: string } }
}

interface Resource {
  readonly id: string
  readonly amount: number
  readonly status: string
  readonly created_at: string
  readonly metadata?: { readonly key?: string }
  readonly description?: string | null
}

/** A feed and how its seller reads it. */
interface Reader {
  readonly feed: string
  readonly client: ApiClient
  readonly close: () => Promise<void>
}

const readersOf = ({ sellers, services }: World): ReadonlyArray<Reader> =>
  sellers.flatMap((seller, i) =>
    (["test", "live"] as const).map((mode) => {
      const client = apiClient(services[i % services.length]?.url ?? "", seller.keys[mode], 2)
      return { feed: feedOf(seller, mode), client, close: client.close }
    }),
  )

const readersAtOnce = 8
const settleLookMillis = 500

/** Does something for each reader, several at a time. */
const forEach = async (readers: ReadonlyArray<Reader>, work: (reader: Reader) => Promise<void>) => {
  const rest = readers.values()
  const worker = async () => {
    for (const reader of rest) await work(reader)
  }
  await Promise.all(Array.from({ length: readersAtOnce }, worker))
}

const eventOf = ({ id, seq, type, internal, data }: Envelope): ListedEvent => ({
  id,
  seq,
  type,
  resourceId: data.object.id,
  isInternal: internal,
})

const listedOf = ({ id, amount, status, metadata, description }: Resource): Listed => ({
  id,
  amount,
  status,
  key: metadata?.key ?? description ?? id,
})

/** Reads a feed with all that its seller has, by a client with the seller's key. */
export const readFeed = async (client: ApiClient): Promise<FeedState> => {
  const events = await client.all<Envelope>("/v1/events")
  const charges = await client.all<Resource>("/v1/transactions")
  const withdrawals = await client.all<Resource>("/v1/withdrawals")
  return {
    events: events.map(eventOf).toReversed(),
    charges: charges.map(listedOf),
    withdrawals: withdrawals.map(listedOf),
  }
}

const newestPage = async <Item>(client: ApiClient, path: string): Promise<ReadonlyArray<Item>> => {
  const answer = await client.get(path)
  if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status}`)
  return (answer.json() as { data: ReadonlyArray<Item> }).data
}

const first = async <Item>(client: ApiClient, path: string): Promise<Item | undefined> =>
  (await newestPage<Item>(client, path))[0]

/** Whether a clock that was an hour ahead made it, which puts off what it waits for as long. */
const isAhead = ({ created_at }: Resource): boolean => Date.parse(created_at) > Date.now()

/** What of a feed has not come to its end, in words; undefined: nothing. A payout that is put off for an hour is not waited for. */
const unsettledOf = async (
  { followers }: World,
  delivered: ReadonlySet<string>,
  { feed, client }: Reader,
): Promise<string | undefined> => {
  const pending = await first<Resource>(client, "/v1/transactions?status=pending&limit=1")
  if (pending !== undefined) {
    // The test control makes the payment that the simulator has put off.
    if (isAhead(pending)) await client.send("POST", `/v1/test/transactions/${pending.id}/pay`)
    return `${feed}: ${pending.id} is not paid`
  }
  const withdrawals = await newestPage<Resource>(client, "/v1/withdrawals?limit=100")
  const open = withdrawals.find((one) => one.status !== "successful" && !isAhead(one))
  if (open !== undefined) return `${feed}: ${open.id} is ${open.status}`
  const newest = (await first<Envelope>(client, "/v1/events?limit=1"))?.seq ?? 0
  for (const follower of followers) {
    const seen = follower.events.at(-1)?.seq ?? 0
    if (follower.feed === feed && seen < newest) return `${feed}: a follower is at ${seen} of ${newest}`
  }
  const recent = (await newestPage<Envelope>(client, "/v1/events?limit=100")).filter(
    ({ internal }) => !internal,
  )
  const missing = recent.filter(({ id }) => !delivered.has(id))
  return missing.length === 0
    ? undefined
    : `${feed}: ${missing.length} of its newest events are not delivered`
}

/** Which events of each feed have been delivered. */
const deliveredOf = ({ journal }: World): ReadonlyMap<string, ReadonlySet<string>> => {
  const ids = new Map<string, Set<string>>()
  for (const { feed, id } of journal.of("webhook")) ids.set(feed, (ids.get(feed) ?? new Set()).add(id))
  return ids
}

/**
 * Waits until everything that is under way has come to its end: charges are paid, withdrawals paid out, events followed and delivered.
 * Returns what has not within the time.
 */
export const settle = async (world: World, timeoutMillis: number): Promise<ReadonlyArray<string>> => {
  const readers = readersOf(world)
  const deadline = performance.now() + timeoutMillis
  let open: ReadonlyArray<{ readonly reader: Reader; readonly problem: string }> = readers.map((reader) => ({
    reader,
    problem: `${reader.feed} was not read`,
  }))
  try {
    for (;;) {
      const still: Array<{ reader: Reader; problem: string }> = []
      const delivered = deliveredOf(world)
      await forEach(
        open.map(({ reader }) => reader),
        async (reader) => {
          const ids = delivered.get(reader.feed) ?? new Set<string>()
          const problem = await unsettledOf(world, ids, reader).catch(String)
          if (problem !== undefined) still.push({ reader, problem })
        },
      )
      open = still
      if (open.length === 0 || performance.now() > deadline) return open.map(({ problem }) => problem)
      await pause(settleLookMillis)
    }
  } finally {
    await Promise.all(readers.map(({ close }) => close()))
  }
}

const auditProblemOf = async ({ topology, encryptionKey }: World): Promise<string | undefined> => {
  const environment = { REDIS_URL: topology.url, ENCRYPTION_KEY: encryptionKey }
  const { exitCode, stdout, stderr } = await runOps(["audit", "verify", "--full"], environment)
  return exitCode === 0 ? undefined : `${stdout}${stderr}`.trim()
}

/** Reads everything that there is, by the API and by `ops audit verify`. */
export const readState = async (world: World, unsettled: ReadonlyArray<string>): Promise<State> => {
  const readers = readersOf(world)
  try {
    const feeds = new Map<string, FeedState>()
    await forEach(readers, async (reader) => {
      feeds.set(reader.feed, await readFeed(reader.client))
    })
    const auditProblem = await auditProblemOf(world)
    return { feeds, executions: world.psp.payouts, auditProblem, unsettled }
  } finally {
    await Promise.all(readers.map(({ close }) => close()))
  }
}
