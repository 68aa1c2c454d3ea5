import { Effect } from "effect"
import { Command } from "effect/cli"
import { Operators } from "../../accounts/users/operators.ts"
import { answer } from "../answer.ts"
import { textFlag } from "../parameters.ts"
import { secretFlags, withPassword } from "../secretInput.ts"
import { fields, note } from "../text/blocks.ts"

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
      ({ user_id, email, totp_secret }) => [
        fields(["User", user_id], ["E-mail", email], ["TOTP secret", totp_secret]),
        note("Keep the secret: it is shown only this once."),
      ],
    ),
  ),
).pipe(
  Command.withDescription(
    "Create an operator (role admin) with 2FA on. The TOTP secret is printed only this once.",
  ),
)
