import { Context, Effect, Layer } from "effect"
import type { StoreUnavailable } from "../../../actors/ports/store.ts"
import type { ApiError } from "../../../schema/errors.ts"
import type { Invite } from "../../../schema/resources/operator.ts"
import { Links } from "../../mail/links.ts"
import { Mailer } from "../../mail/mailer.ts"
import { inviteMail } from "../../mail/mailTexts.ts"
import { Audit } from "../operatorLog.ts"
import { Invites } from "./invites.ts"

/** Inviting, as operators do it: the invite, its entry in the audit stream, and its mail. */
export class InviteMails extends Context.Service<
  InviteMails,
  {
    /**
     * Invites an e-mail address; `operatorId` is undefined for the command line. The token and its link are in the mail,
     * and here for the command line alone. Fails with 409 `invalid_state` at `email` where the address has an account.
     */
    readonly invite: (
      email: string,
      operatorId: string | undefined,
    ) => Effect.Effect<
      { readonly invite: Invite; readonly token: string; readonly url: string },
      ApiError | StoreUnavailable
    >
  }
>()("corrente/accounts/InviteMails") {}

export const InviteMailsLive = Layer.effect(
  InviteMails,
  Effect.gen(function* () {
    const invites = yield* Invites
    const audit = yield* Audit
    const mailer = yield* Mailer
    const links = yield* Links
    return InviteMails.of({
      invite: Effect.fnUntraced(function* (email, operatorId) {
        const { invite, token } = yield* invites.create(email, operatorId)
        // Until it is mailed, nobody knows the token: an invite that the stream does not tell of is worth nothing.
        yield* audit.append({
          operatorId,
          action: "invite.created",
          resourceType: "invite",
          resourceId: invite.id,
          details: {},
        })
        const url = links.to("/sign-up", "invite_token", token)
        yield* mailer.send({ to: email, ...inviteMail(url) })
        return { invite, token, url }
      }),
    })
  }),
)
