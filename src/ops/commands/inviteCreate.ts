import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { Email } from "../../../schema/resources/transaction.ts"
import { checkField } from "../../accounts/checkField.ts"
import { InviteMails } from "../../accounts/users/inviteMails.ts"
import { defineCommand } from "../command.ts"

export const inviteCreate = defineCommand({
  name: "invite create",
  help: "Invites an e-mail address to sign up, and mails it the link. Token and link are printed this once.",
  parameters: {
    email: { kind: "option", required: true, placeholder: "EMAIL", help: "Who may sign up with it." },
  },
  run: Effect.fnUntraced(function* ({ email }) {
    const mustBe = `an e-mail address of at most ${limits.customerEmailLengthMax} characters`
    yield* checkField("email", Email, email, mustBe)
    const inviteMails = yield* InviteMails
    const { invite, token, url } = yield* inviteMails.invite(email, undefined)
    return { ...invite, token, url }
  }),
})
