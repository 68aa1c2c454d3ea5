import { Redis } from "ioredis"
import { limits } from "../../schema/limits.ts"
import type { OpeningJob, OpeningResult } from "../load/openingJob.ts"
import { type Check, type Metric, makeMetric, type Progress } from "../report/result.ts"
import { makeFeeds } from "../sse/feeds.ts"
import { startWorker } from "../support/child.ts"
import { Histogram } from "../support/histogram.ts"
import type { Side } from "../support/sides.ts"

const timeoutMillis = 90_000

/** Opens many streams at once, as after a deploy: measures until all are open, and how often some had to wait. */
export const measureOpenings = async (
  side: Side,
  streams: number,
  progress: Progress,
): Promise<{ readonly metrics: ReadonlyArray<Metric>; readonly checks: ReadonlyArray<Check> }> => {
  progress(`overload, openings: ${streams} streams at once`)
  const redis = new Redis(side.redis.url)
  const load = startWorker<OpeningJob, OpeningResult>(new URL("../load/openings.ts", import.meta.url))
  try {
    const feeds = await makeFeeds(redis, Math.ceil(streams / limits.streamsPerSellerMax))
    const wanted = feeds.length * limits.streamsPerSellerMax
    const result = await load.ask({
      port: side.port,
      apiKeys: feeds.map(({ apiKey }) => apiKey),
      streamsPerKey: limits.streamsPerSellerMax,
      timeoutMillis,
    })
    const one = (value: number) => ({ corrente: [value] })
    const lost = Object.entries(result.problems).filter(([what]) => what.startsWith("status"))
    return {
      metrics: [
        makeMetric("streams, all open after", "s", one(result.millis / 1_000)),
        makeMetric("streams, ready, p99", "ms", one(new Histogram(result.readyMillis).percentile(99))),
        makeMetric(
          "streams, turned away, of tries",
          "%",
          one((100 * result.turnedAway) / (result.turnedAway + wanted)),
        ),
      ],
      checks: [
        {
          name: "streams opened",
          isRight: result.opened === wanted,
          detail: `${result.opened} of ${wanted}; streams were asked to come back ${result.turnedAway} times`,
        },
        {
          name: "streams that gave up for good",
          isRight: lost.length === 0,
          detail: lost.length === 0 ? "none: every answer was 200" : JSON.stringify(result.problems),
        },
      ],
    }
  } finally {
    await load.stop()
    redis.disconnect()
  }
}
