import { Effect } from "effect"
import { Command } from "effect/cli"
import { Operators } from "../../accounts/users/operators.ts"
import { answer } from "../answer.ts"
import { textFlag } from "../parameters.ts"
import { shownOperator } from "./adminCreate.ts"

export const adminResetTwoFactor = Command.make(
  "reset-two-factor",
  { email: textFlag("email", "EMAIL", "The operator's e-mail address.") },
  answer(
    Effect.fnUntraced(function* ({ email }) {
      const operators = yield* Operators
      return yield* operators.resetTwoFactor(email)
    }),
    shownOperator,
  ),
).pipe(
  Command.withDescription(
    "Give an operator a new second factor in place of one that is lost, locked or off. Ends its sessions and trusted devices, is logged, and the operator is mailed. TOTP secret and backup codes are printed only this once.",
  ),
)
