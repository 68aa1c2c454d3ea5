import { Effect } from "effect"
import { Command } from "effect/cli"
import { isCalendarDay } from "../../../schema/api/common.ts"
import { resourceNotFound } from "../../../schema/errors.ts"
import { modes } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { makeClosingView } from "../../closings/closingView.ts"
import { answer } from "../answer.ts"
import { choiceFlag, optionalFlag, textFlag } from "../parameters.ts"
import { shownClosing } from "../text/closing.ts"

export const closingShow = Command.make(
  "show",
  {
    day: textFlag("day", "DAY", "A day of America/Sao_Paulo such as 2026-11-21"),
    mode: optionalFlag(choiceFlag("mode", "MODE", modes, "live or test; live by default")),
  },
  answer(
    Effect.fnUntraced(function* ({ day, mode = "live" }) {
      const view = yield* makeClosingView
      const page = { beforeId: undefined, limit: limits.pageSizeMax }
      const found = isCalendarDay(day) ? yield* view(mode, day, page) : undefined
      if (found === undefined) return yield* resourceNotFound("closing", day)
      return { ...found.closing, more_sellers: found.nextBeforeId !== undefined }
    }),
    shownClosing,
  ),
).pipe(
  Command.withDescription(
    "Print the closing of a day: the platform's opening, movements and closing, the acquirer's books, and the newest 100 sellers.",
  ),
)
