import { Effect } from "effect"
import { Operators } from "../../accounts/users/operators.ts"
import { defineCommand } from "../command.ts"

export const adminCreate = defineCommand({
  name: "admin create",
  help: "Creates an operator (role admin), with 2FA on. The TOTP secret is printed this once.",
  parameters: {
    email: { kind: "option", required: true, placeholder: "EMAIL", help: "Where the operator signs in." },
    password: { kind: "option", required: true, placeholder: "PASSWORD", help: "12 to 256 characters." },
  },
  run: Effect.fnUntraced(function* ({ email, password }) {
    const operators = yield* Operators
    return yield* operators.create(email, password)
  }),
})
