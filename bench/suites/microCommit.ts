import { randomUUID } from "node:crypto"
import * as keys from "../../src/store/keys.ts"
import { library } from "../../src/store/redis/functionLibrary.ts"
import { makeBareCharge, makeBarePayload } from "../peers/bareCharge.ts"
import { encodeBareQr } from "../peers/bareQr.ts"
import { commitArguments, openBareStore } from "../peers/bareStore.ts"
import { makeMetric } from "../report/result.ts"
import { runCommand } from "../support/child.ts"
import { cpuMillisOf } from "../support/processUsage.ts"
import { encryptionKey, type SideBackend, startSideBackend } from "../support/sides.ts"

/** redis-benchmark replaces this with twelve new digits in each request. */
const anyDigits = "__rand_int__"
const digits = 12

const body = {
  amount: 1_000_001,
  customer: { name: "Ana Souza", email: "ana@example.com", document: "52998224725" },
  items: [{ name: "Assinatura", quantity: 1, unit_amount: 1_000_001 }],
}

/**
 * The commit of a charge, with placeholders for redis-benchmark where requests must differ. Make a new one for each
 * run: redis-benchmark seeds its digits with the time and its process id, so two runs can draw the same digits, which
 * would be replays.
 */
export const commitOf = async ({
  redis,
  apiKey,
}: Pick<SideBackend, "redis" | "apiKey">): Promise<ReadonlyArray<string>> => {
  const store = await openBareStore(redis.url, Buffer.from(encryptionKey, "base64"))
  try {
    const caller = await store.findCaller(`Bearer ${apiKey}`)
    if (caller === undefined) throw new Error("the side has no seller")
    const payload = makeBarePayload()
    const charge = makeBareCharge(body, caller.partition, { payload, qr: encodeBareQr(payload) }, store.seal)
    // Twice, because one is only 31 random bits: a repeated key would be a replay.
    const key = `${randomUUID().slice(0, 8)}-${anyDigits}-${anyDigits}`
    const ours = commitArguments(caller, key, Buffer.from(JSON.stringify(body)), charge)
    const anyId = charge.id.slice(0, -digits) + anyDigits
    return ours.map((argument) => String(argument).replaceAll(charge.id, anyId))
  } finally {
    store.close()
  }
}

/** What the library counts for series and notes for searches, left out of a second library. */
const nothing = ["count_created", "count_paid", "count_delivery", "note_lookup"]
  .map((name) => `series.${name} = function() end`)
  .join("\n")

/** One run of redis-benchmark: commits a second, and Redis' CPU time for each in us. */
const runOnce = async (backend: SideBackend, commits: number, isCounting: boolean) => {
  const commit = await commitOf(backend)
  const { client, pid, url } = backend.redis
  if (!isCounting) await client.function("LOAD", "REPLACE", `${library.source}\n${nothing}\n`)
  const before = cpuMillisOf(pid)
  const said = await runCommand("redis-benchmark", [
    ...["-p", new URL(url).port, "-n", String(commits), "-c", "64", "-r", String(2 ** 31 - 1), "--csv"],
    ...["FCALL", ...commit],
  ])
  const redisMicros = ((cpuMillisOf(pid) - before) * 1_000) / commits
  // The second line has the name, requests a second, and latencies.
  const perSecond = Number(/"([\d.]+)"/.exec(said.trim().split("\n").at(-1) ?? "")?.[1])
  return { perSecond, redisMicros }
}

/**
 * Runs the commit function of a charge with redis-benchmark: Redis' limit when nothing else is in its way; and in turn the same
 * without series and search.
 */
export const measureCommits = async (rounds: number, commits: number) => {
  const backend = await startSideBackend("corrente")
  try {
    const perSecond: Array<number> = []
    const micros: Record<"whole" | "without", Array<number>> = { whole: [], without: [] }
    for (let round = 0; round < rounds; round++) {
      const whole = await runOnce(backend, commits, true)
      perSecond.push(whole.perSecond)
      micros.whole.push(whole.redisMicros)
      micros.without.push((await runOnce(backend, commits, false)).redisMicros)
    }
    const metrics = [
      makeMetric("commit function", "1/s", { corrente: perSecond }),
      makeMetric("commit function, CPU of Redis", "us", { corrente: micros.whole }),
      makeMetric("commit function without series and search, CPU of Redis", "us", {
        corrente: micros.without,
      }),
    ]
    const feed = { sellerId: backend.sellerId, mode: "test" } as const
    const events = await backend.redis.client.xlen(keys.eventsKey(feed))
    const wanted = 2 * rounds * commits
    const detail = `${wanted} commits, ${events} events`
    return { metrics, check: { name: "commit function", isRight: events === wanted, detail } }
  } finally {
    await backend.stop()
  }
}
