import { Clock, Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import * as keys from "../keys.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { endpointOutcomes } from "../series/endpointSeries.ts"

const hourMillis = 60 * 60 * 1000

interface Counts {
  readonly attempts: number
  readonly successes: number
}

/** What builds before docs/decisions/0100-attempts-are-counted-in-series.md counted: `<hour>` attempts, `<hour>:ok` successes. */
const countsBefore = (values: ReadonlyArray<string>): ReadonlyMap<number, Counts> => {
  const counts = new Map<number, Counts>()
  for (let i = 0; i + 1 < values.length; i += 2) {
    const [text, kind] = (values[i] ?? "").split(":")
    const hour = Number(text)
    const known = counts.get(hour) ?? { attempts: 0, successes: 0 }
    const name = kind === "ok" ? "successes" : "attempts"
    counts.set(hour, { ...known, [name]: Number(values[i + 1]) })
  }
  return counts
}

/**
 * Sums an endpoint's attempts of the last week. Of an hour that was counted in its statistics as well, what has counted more is
 * right: the series since there are series, the statistics until the build that ended them.
 */
export const countAttempts = Effect.fnUntraced(function* (
  client: RedisClient["Service"],
  endpointId: string,
) {
  const toHour = Math.floor((yield* Clock.currentTimeMillis) / hourMillis)
  const fromHour = toHour - limits.endpointStatsHours
  const values = yield* client.call("HGETALL", [keys.endpointStatsKey(endpointId)])
  const before = countsBefore(values as ReadonlyArray<string>)
  const series = yield* endpointOutcomes(client, endpointId, { fromHour, toHour })
  const sum = { attempts: 0, successes: 0 }
  for (const hour of new Set([...before.keys(), ...series.keys()])) {
    if (hour < fromHour) continue
    const { succeeded = 0, failed = 0 } = series.get(hour) ?? {}
    const { attempts = 0, successes = 0 } = before.get(hour) ?? {}
    sum.attempts += Math.max(attempts, succeeded + failed)
    sum.successes += Math.max(successes, succeeded)
  }
  return sum
})
