import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import type { ApiError } from "../../../schema/errors.ts"
import type { Invite } from "../../../schema/resources/operator.ts"
import { Links } from "../../mail/links.ts"
import { Mailer } from "../../mail/mailer.ts"
import { inviteMail } from "../../mail/mailTexts.ts"
import { OperatorLog } from "../operatorLog.ts"
import { Invites } from "./invites.ts"

/** Invites people: creates the invite, appends it to the operators' log, and mails it. */
export class InviteMails extends Context.Service<
  InviteMails,
  {
    /**
     * Invites an e-mail address; `operatorId` is undefined for the command line. Token and link go into the mail;
     * only the command line uses the returned ones. Fails with 409 `invalid_state` at `email` if the address has an
     * account.
     */
    readonly invite: (
      email: string,
      operatorId: string | undefined,
    ) => Effect.Effect<
      { readonly invite: Invite; readonly token: string; readonly url: string },
      ApiError<"invalid_state" | "validation_failed"> | StoreUnavailable
    >
  }
>()("corrente/accounts/InviteMails") {}

export const InviteMailsLive = Layer.effect(
  InviteMails,
  Effect.gen(function* () {
    const invites = yield* Invites
    const operatorLog = yield* OperatorLog
    const mailer = yield* Mailer
    const links = yield* Links
    return InviteMails.of({
      invite: Effect.fnUntraced(function* (email, operatorId) {
        const { invite, token } = yield* invites.create(email, operatorId)
        // Nobody knows the token until it is mailed, so an invite that was not logged cannot be used.
        yield* operatorLog.append({
          operatorId,
          action: "invite.created",
          resourceType: "invite",
          resourceId: invite.id,
          details: {},
        })
        const url = links.to("/app/sign-up", "invite_token", token)
        yield* mailer.send({ to: email, ...inviteMail(url) })
        return { invite, token, url }
      }),
    })
  }),
)
