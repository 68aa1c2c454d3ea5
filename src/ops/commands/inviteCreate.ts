import { Effect } from "effect"
import { Command } from "effect/cli"
import { limits } from "../../../schema/limits.ts"
import { Email } from "../../../schema/resources/transaction.ts"
import { checkField } from "../../accounts/checkField.ts"
import { InviteMails } from "../../accounts/users/inviteMails.ts"
import { answer } from "../answer.ts"
import { textFlag } from "../parameters.ts"
import { fields, note } from "../text/blocks.ts"
import { time } from "../text/values.ts"

export const inviteCreate = Command.make(
  "create",
  { email: textFlag("email", "EMAIL", "The address that may sign up.") },
  answer(
    Effect.fnUntraced(function* ({ email }) {
      const mustBe = `an e-mail address of at most ${limits.customerEmailLengthMax} characters`
      yield* checkField("email", Email, email, mustBe)
      const inviteMails = yield* InviteMails
      const { invite, token, url } = yield* inviteMails.invite(email, undefined)
      return { ...invite, token, url }
    }),
    (invite) => [
      fields(
        ["Invite", invite.id],
        ["E-mail", invite.email],
        ["Expires", time(invite.expires_at)],
        ["Link", invite.url],
        ["Token", invite.token],
      ),
      note("The link was mailed. Token and link are shown only this once."),
    ],
  ),
).pipe(
  Command.withDescription(
    "Invite an e-mail address to sign up, and mail it the link. Token and link are printed only this once.",
  ),
)
