import { Effect, Schedule } from "effect"
import type { CliFailure } from "./failure.ts"
import { StartedAt } from "./serviceTime.ts"
import type { Session } from "./session.ts"

/** A service that is overloaded or about to end turns streams away until it can serve them; so it may do here. */
const isBusy = ({ code }: CliFailure): boolean => code === "service_unavailable"

/**
 * The event after which all that has happened since the command was started comes (docs/cli.md#listen); null where there is none. An
 * event of the last milliseconds before the start may come too, never one too few.
 */
export const readBeginning = Effect.fnUntraced(function* ({ call, serviceTime }: Session) {
  const startedAt = yield* StartedAt
  const newest = (to?: string) =>
    call((corrente, options) =>
      corrente.events.list({ limit: 1, ...(to === undefined ? {} : { to }) }, options).page(),
    ).pipe(
      Effect.retry({ schedule: Schedule.spaced("1 second"), while: isBusy }),
      Effect.map(({ data }) => data[0]),
    )
  const last = yield* newest()
  const startMillis = serviceTime.at(startedAt)
  // A proxy may have dropped the header that tells the time.
  if (last === undefined || startMillis === undefined || Date.parse(last.created_at) < startMillis) {
    return last?.id ?? null
  }
  return (yield* newest(new Date(startMillis - 1).toISOString()))?.id ?? null
})
