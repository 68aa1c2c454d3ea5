import { rmSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { fillFeed, runPaceRound, runReplayRound } from "../../bench/suites/sse/phases.ts"
import {
  Pipeline,
  type StreamEnvironment,
  streamNames,
  withStreamEnvironment,
} from "../../bench/suites/sse/pipeline.ts"
import { fillSellers } from "../../bench/support/filler.ts"
import { dataRoot } from "../../bench/support/redisServer.ts"
import { streamsPermitted } from "../../bench/support/streamsPermitted.ts"
import { sizes } from "../support/sizes.ts"

/** One environment for all tests of this file. */
let environment: StreamEnvironment
let end = (): void => {}
let ended: Promise<void> = Promise.resolve()
beforeAll(
  () =>
    new Promise<void>((resolve, reject) => {
      ended = withStreamEnvironment({ connectionsMax: 100, eventsMax: 2_000 }, (opened) => {
        environment = opened
        resolve()
        return new Promise<void>((finish) => {
          end = finish
        })
      })
      ended.catch(reject)
    }),
)
afterAll(async () => {
  end()
  await ended
  rmSync(dataRoot, { recursive: true, force: true })
})

const withPipeline = async (
  name: (typeof streamNames)[number],
  body: (pipeline: Pipeline) => Promise<void>,
) => {
  const pipeline = await Pipeline.start(environment, name)
  await body(pipeline).finally(pipeline.server.stop)
}

const newFeed = async () => {
  const [feed] = await fillSellers(environment.redis.url, 1)
  if (feed === undefined) throw new Error("no feed was made")
  return feed
}

const pace = { streams: 12, eventsPerSecond: 200, batchEvents: 4 }

/** What Corrente is compared with need not run where the suites that measure it do not. */
const namesTested = sizes.benchSuites === "all" ? streamNames : (["corrente"] as const)

describe.each(namesTested)("event streams of %s in the bench", (name) => {
  it(`streams of ${name} carry every event once, in order and byte for byte: live, in bursts and in a replay`, async (context) => {
    if (!environment.names.includes(name)) return context.skip("it is not on this machine")
    await withPipeline(name, async (pipeline) => {
      const feed = await newFeed()
      await pipeline.openMany("live", feed, pace.streams)
      const { frames, latencies, problems } = await runPaceRound(pipeline, feed, "live", pace, 200)
      assert.deepStrictEqual([frames, problems], [40 * pace.streams, []])
      // Streams whose arrivals are recorded.
      assert.lengthOf(latencies, 40 * 4)
      assert.isTrue(latencies.every((latency) => latency > 0))
      await pipeline.close("live")
      const filled = await fillFeed(pipeline, await newFeed(), 1_200)
      assert.strictEqual(filled.expected.events, 1_200)
      assert.deepStrictEqual((await runReplayRound(pipeline, filled)).problems, [])
    })
  })

  it(`streams of ${name} join the live events after a replay without a gap or a repeat`, async (context) => {
    if (!environment.names.includes(name)) return context.skip("it is not on this machine")
    await withPipeline(name, async (pipeline) => {
      const feed = await newFeed()
      const { lastEventId, expected } = await fillFeed(pipeline, feed, 1_000)
      const events = pipeline.eventsOf(feed.feed)
      const batches = { batches: 150, batchEvents: 1, batchesPerSecond: 500 }
      const join = () => pipeline.open("joins", [feed], 1, lastEventId)
      // Streams join before the live events, twice amid them, and after them.
      await join()
      const appended = environment.source.ask({ kind: "pace", sink: pipeline.sink, events, ...batches })
      for (const live of [40, 80]) {
        await pipeline.arrived("joins", expected.events + live)
        await join()
      }
      await appended
      await join()
      await pipeline.arrived("joins", expected.events + 150)
      const answer = await pipeline.take("joins")
      assert.deepStrictEqual(answer.problems, [])
      const [seen] = answer.feeds
      assert.deepStrictEqual([seen?.events, seen?.completeStreams], [1_150, 4])
      await pipeline.close("joins", [feed])
    })
  })
})

describe("a round of the bench", () => {
  it("a bench round reports a missing stream and unexpected events", async () => {
    await withPipeline("bare", async (pipeline) => {
      const feed = await newFeed()
      await pipeline.openMany("wrong", feed, 2)
      const missing = await runPaceRound(pipeline, feed, "wrong", { ...pace, streams: 3 }, 50)
      assert.deepStrictEqual(missing.problems, ["2 of 3 streams received every event"])
      await pipeline.append([feed], 1)
      const more = await runPaceRound(pipeline, feed, "wrong", { ...pace, streams: 2 }, 50)
      assert.deepStrictEqual(more.problems, ["the frames differ from those of the appended events"])
      await pipeline.close("wrong")
    })
  })

  it("a failure to open streams names the server that refused them", async () => {
    await withPipeline("corrente", async (pipeline) => {
      const feed = { ...(await newFeed()), apiKey: "sk_test_none" }
      const message = await pipeline.open("refused", [feed], 1).catch(({ message }: Error) => message)
      assert.match(String(message), /^cannot open streams of corrente: .*not a stream.*401/)
    })
  })
})

describe("the limit of open files", () => {
  it("streamsPermitted returns the wanted number of streams, or fewer where the open-file limit is too low", async () => {
    assert.strictEqual(await streamsPermitted(10), 10)
    assert.isBelow(await streamsPermitted(1_000_000_000), 1_000_000_000)
  })
})
