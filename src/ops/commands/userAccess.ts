import { Effect } from "effect"
import { Command } from "effect/cli"
import { ApiError } from "../../../schema/errors.ts"
import type { Role } from "../../../schema/resources/account.ts"
import { UserAccess } from "../../accounts/users/userAccess.ts"
import { Users } from "../../accounts/users/users.ts"
import type { UserEntity } from "../../store/users.ts"
import { answer } from "../answer.ts"
import type { OpsFailure } from "../failure.ts"
import { textFlag } from "../parameters.ts"
import { fields } from "../text/blocks.ts"

const unknown = (whose: string): ApiError<"resource_not_found"> =>
  new ApiError({
    code: "resource_not_found",
    param: "email",
    message: `No ${whose} has this e-mail address.`,
  })

/** The user of an address; of a role where one is given. */
const findUser = Effect.fnUntraced(function* (email: string, role: Role | undefined) {
  const user = yield* (yield* Users).findByEmail(email)
  if (role !== undefined && user?.role !== role) return yield* unknown("operator")
  return user ?? (yield* unknown("user"))
})

interface AccessCommand {
  readonly name: string
  readonly description: string
  /** Only users of this role; undefined: of any. */
  readonly role: Role | undefined
  readonly act: (access: UserAccess["Service"], userId: string) => Effect.Effect<UserEntity, OpsFailure>
}

const noDetails = { operatorId: undefined, details: {} }

const accessCommand = ({ name, description, role, act }: AccessCommand) =>
  Command.make(
    name,
    {
      email: textFlag(
        "email",
        "EMAIL",
        role === "admin" ? "The operator's e-mail address." : "The user's e-mail address.",
      ),
    },
    answer(
      Effect.fnUntraced(function* ({ email }: { readonly email: string }) {
        const { id } = yield* findUser(email, role)
        const user = yield* act(yield* UserAccess, id)
        const status = user.disabledAtMillis === undefined ? "active" : "disabled"
        return { user_id: user.id, email: user.email, status }
      }),
      ({ user_id, email, status }) => [fields(["User", user_id], ["E-mail", email], ["Status", status])],
    ),
  ).pipe(Command.withDescription(description))

const disable: AccessCommand["act"] = (access, id) => access.disable(id, noDetails)
const enable: AccessCommand["act"] = (access, id) => access.enable(id, noDetails, () => Effect.void)

export const adminDisable = accessCommand({
  name: "disable",
  description:
    "Disable an operator: everything it is signed in with ends at once, and it cannot sign in. The last one who is enabled stays.",
  role: "admin",
  act: disable,
})
export const adminEnable = accessCommand({
  name: "enable",
  description: "Let a disabled operator sign in again.",
  role: "admin",
  act: enable,
})
export const userDisable = accessCommand({
  name: "disable",
  description:
    "Disable a user: everything it is signed in with ends at once, and it cannot sign in. API keys of its seller go on: suspend the seller to stop them.",
  role: undefined,
  act: disable,
})
export const userEnable = accessCommand({
  name: "enable",
  description: "Let a disabled user sign in again.",
  role: undefined,
  act: enable,
})
export const userEndSessions = accessCommand({
  name: "end-sessions",
  description:
    "End all sessions, pending sign-ins and trusted devices of a user, who may sign in anew with password and second factor.",
  role: undefined,
  act: (access, id) => access.endSessions(id, noDetails),
})
