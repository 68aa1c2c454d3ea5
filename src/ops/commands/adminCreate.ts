import { Effect } from "effect"
import { Command } from "effect/cli"
import { type EnrolledOperator, Operators } from "../../accounts/users/operators.ts"
import { answer } from "../answer.ts"
import { textFlag } from "../parameters.ts"
import { secretFlags, withPassword } from "../secretInput.ts"
import { fields, note } from "../text/blocks.ts"

/** An operator with a new second factor, for a person. */
const shownOperator = (operator: EnrolledOperator) => [
  fields(
    ["User", operator.user_id],
    ["E-mail", operator.email],
    ["TOTP secret", operator.totp_secret],
    ["TOTP link", operator.totp_uri],
    ["Backup codes", operator.backup_codes.join("  ")],
  ),
  note("Keep the secret and the codes: they are shown only this once."),
]

export const adminCreate = Command.make(
  "create",
  {
    email: textFlag("email", "EMAIL", "The operator's e-mail address."),
    password: secretFlags("password", "PASSWORD", "12 to 256 characters."),
  },
  withPassword(
    answer(
      Effect.fnUntraced(function* ({ email, password }) {
        const operators = yield* Operators
        return yield* operators.create(email, password)
      }),
      shownOperator,
    ),
  ),
).pipe(
  Command.withDescription(
    "Create an operator (role admin) with 2FA on. TOTP secret and backup codes are printed only this once.",
  ),
)

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
