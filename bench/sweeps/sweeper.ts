/** A process that sweeps a bank's books once, with the service's own sweep, adapter and store. */

import { Effect, Layer, Redacted } from "effect"
import { Acquirers } from "../../actors/ports/acquirer.ts"
import { PartitionCount } from "../../actors/ports/partitionCount.ts"
import { RequestDelay } from "../../actors/ports/requestDelay.ts"
import { SellerActors } from "../../actors/seller/sellerActor.ts"
import { makeSweep } from "../../actors/sweeps/sweep.ts"
import { makeApiPix } from "../../src/acquirers/apiPix/apiPix.ts"
import { bankProfiles } from "../../src/acquirers/apiPix/bankProfiles.ts"
import { RedisStoreLive } from "../../src/store/redisStore.ts"
import { serveParent } from "../load/serveParent.ts"
import type { SweepDone, SweepJob } from "./sweepJob.ts"

const partitions = 64
const mebibyte = 1_024 * 1_024

const notAsked = Effect.die(new Error("nothing differs, so no actor is asked"))

const sweepOnce = Effect.fnUntraced(function* ({ bank, window, redisUrl }: SweepJob) {
  const acquirer = yield* makeApiPix({
    baseUrl: `${bank.origin}/v2`,
    tokenUrl: `${bank.origin}/oauth/token`,
    ...{ clientId: "bench", clientSecret: Redacted.make(bank.clientSecret), pixKey: "bench" },
    ...{ cert: bank.cert, key: bank.key, ca: bank.ca },
    ...{ bank: bankProfiles.efi, appKey: undefined, headers: undefined },
  })
  const { books } = acquirer
  if (books === undefined) return yield* Effect.die(new Error("api-pix has books"))
  const world = Layer.mergeAll(
    RedisStoreLive(redisUrl, { retentionMillis: 1, partitions, inboxBytesMax: 1_024, processId: "bench" }),
    Layer.succeed(SellerActors, { ask: () => notAsked, size: () => 0 }),
    Layer.succeed(RequestDelay, { currentMillis: () => 0, inTheMaking: () => 0, begun: () => 0 }),
    Layer.succeed(PartitionCount, { partitions }),
    Layer.succeed(Acquirers, { live: acquirer, test: acquirer }),
  )
  return yield* Effect.gen(function* () {
    const sweep = yield* makeSweep(acquirer, books)
    const residentMiB = process.memoryUsage.rss() / mebibyte
    const cpu = process.cpuUsage()
    const startedAt = performance.now()
    const { items, differences, failures, unread } = yield* sweep({ window })
    const wallMillis = performance.now() - startedAt
    const { user, system } = process.cpuUsage(cpu)
    const done: SweepDone = {
      ...{ items, differences, failures: failures + unread.items.length + unread.more },
      ...{ wallMillis, cpuMillis: (user + system) / 1_000, residentMiB },
      peakMiB: process.resourceUsage().maxRSS / 1_024,
    }
    return done
  }).pipe(Effect.provide(world))
})

serveParent((job: SweepJob) => Effect.runPromise(Effect.scoped(sweepOnce(job))))
