import { rmSync } from "node:fs"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeFeeds } from "../../bench/sse/feeds.ts"
import { streamsPermitted } from "../../bench/sse/fileLimit.ts"
import { runPaceRound } from "../../bench/sse/pace.ts"
import { type LoadProcesses, Pipeline, withLoadProcesses } from "../../bench/sse/pipeline.ts"
import { fillFeed, runReplayRound } from "../../bench/sse/replay.ts"
import {
  type StreamEnvironment,
  streamNames,
  withStreamEnvironment,
} from "../../bench/sse/streamEnvironment.ts"
import { dataRoot } from "../../bench/support/redisServer.ts"
import { sizes } from "../support/sizes.ts"

interface Load {
  readonly environment: StreamEnvironment
  readonly processes: LoadProcesses
}

/** One environment and one set of load processes for all tests of this file. */
const useLoad = (): (() => Load) => {
  let load: Load | undefined
  let end = (): void => {}
  let ended: Promise<void> = Promise.resolve()
  beforeAll(
    () =>
      new Promise<void>((resolve, reject) => {
        const done = new Promise<void>((finish) => {
          end = finish
        })
        ended = withStreamEnvironment({ connectionsMax: 100, eventsMax: 2_000 }, (environment) =>
          withLoadProcesses(environment, async (processes) => {
            load = { environment, processes }
            resolve()
            await done
          }),
        )
        ended.catch(reject)
      }),
  )
  afterAll(async () => {
    end()
    await ended
    rmSync(dataRoot, { recursive: true, force: true })
  })
  return () => {
    if (load === undefined) throw new Error("the environment was not started")
    return load
  }
}

const load = useLoad()

const withPipeline = async (
  name: (typeof streamNames)[number],
  body: (pipeline: Pipeline) => Promise<void>,
) => {
  const { environment, processes } = load()
  const pipeline = await Pipeline.start(environment, name, processes)
  try {
    await body(pipeline)
  } finally {
    await pipeline.server.stop()
  }
}

const newFeed = async () => {
  const [feed] = await makeFeeds(load().environment.redis.client, 1)
  if (feed === undefined) throw new Error("no feed was made")
  return feed
}

const pace = { streams: 12, eventsPerSecond: 200, batchEvents: 4 }

/** What Corrente is compared with need not run where the suites that measure it do not. */
const namesTested = sizes.benchSuites === "all" ? streamNames : (["corrente"] as const)

describe.each(namesTested)("event streams of %s in the bench", (name) => {
  it(`streams of ${name} carry every event once, in order and byte for byte: live, in bursts and in a replay`, async (context) => {
    const { environment } = load()
    if (!environment.names.includes(name)) return context.skip("it is not on this machine")
    await withPipeline(name, async (pipeline) => {
      const feed = await newFeed()
      await pipeline.openMany("live", feed, pace.streams)
      const { frames, latencies, problems } = await runPaceRound(
        environment,
        pipeline,
        feed,
        "live",
        pace,
        200,
      )
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
    if (!load().environment.names.includes(name)) return context.skip("it is not on this machine")
    await withPipeline(name, async (pipeline) => {
      const feed = await newFeed()
      const { lastEventId, expected } = await fillFeed(pipeline, feed, 1_000)
      const events = pipeline.eventsOf(feed.feed)
      const batches = { batches: 150, batchEvents: 1, batchesPerSecond: 500 }
      const join = () => pipeline.open("joins", [feed], 1, lastEventId)
      // Streams join before the live events, twice amid them, and after them.
      await join()
      const appended = pipeline.source.ask({ kind: "pace", events, ...batches })
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
    const { environment, processes } = load()
    await withPipeline("bare", async (pipeline) => {
      const feed = await newFeed()
      await pipeline.openMany("wrong", feed, 2)
      const missing = await runPaceRound(environment, pipeline, feed, "wrong", { ...pace, streams: 3 }, 50)
      assert.deepStrictEqual(missing.problems, ["2 of 3 streams received every event"])
      const feeds = [pipeline.eventsOf(feed.feed)]
      await processes.redisSource.ask({ kind: "append", feeds, events: 1 })
      const more = await runPaceRound(environment, pipeline, feed, "wrong", { ...pace, streams: 2 }, 50)
      assert.deepStrictEqual(more.problems, ["the frames differ from those of the appended events"])
      await pipeline.close("wrong")
    })
  })

  it("a failure to open streams names the server that refused them", async () => {
    await withPipeline("corrente", async (pipeline) => {
      const feed = { ...(await newFeed()), apiKey: "sk_test_none" }
      let message = ""
      await pipeline.open("refused", [feed], 1).catch((error: Error) => {
        message = error.message
      })
      assert.match(message, /^cannot open streams of corrente: .*not a stream.*401/)
    })
  })
})

describe("the limit of open files", () => {
  it("streamsPermitted returns the wanted number of streams, or fewer where the open-file limit is too low", async () => {
    assert.strictEqual(await streamsPermitted(10), 10)
    assert.isBelow(await streamsPermitted(1_000_000_000), 1_000_000_000)
  })
})
