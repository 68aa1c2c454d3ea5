import { Effect } from "effect"
import { Command } from "effect/cli"
import { limits } from "../../schema/limits.ts"
import { word } from "../../src/ops/parameters.ts"
import { inert } from "../../src/ops/text/values.ts"
import { parseSeconds } from "../durations.ts"
import { usageFailure } from "../failure.ts"
import { Output } from "../output.ts"
import { openSession } from "../session.ts"

const secondsMax = limits.clockAdvanceSecondsMax

/** Moves the test clock: what is due by then happens now. */
export const advance = Command.make(
  "advance",
  { duration: word("duration", "DURATION", "Such as 90s, 15m, 2h, 1d or 1d12h; at most 366d.") },
  Effect.fnUntraced(function* ({ duration }) {
    const seconds = parseSeconds(duration)
    if (seconds === undefined || seconds > secondsMax) {
      return yield* usageFailure(
        "duration",
        "DURATION must be a number with its unit, such as 90s, 15m, 2h, 1d or 1d12h, and at most 366d.",
      )
    }
    const { call } = yield* openSession("The test clock")
    const clock = yield* call((corrente, options) => corrente.test.clock.advance({ seconds }, options))
    const { paint, tell } = yield* Output
    yield* tell({
      json: clock,
      text: `The test clock is ${paint("bold", duration)} further: ${inert(clock.now)}. What was due by then has happened.`,
    })
  }),
).pipe(Command.withDescription("Move the clock of test mode forward: what is due by then happens now."))
