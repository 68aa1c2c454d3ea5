import { Effect } from "effect"
import type { passkeysGroup } from "../../../schema/api/passkeys.ts"
import { SecurityLog } from "../../accounts/securityLog.ts"
import { ofUser, SellerAudit } from "../../accounts/sellerAudit.ts"
import { Passkeys, passkeyResource } from "../../accounts/twoFactor/passkeys.ts"
import type { Reply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"

const json = (value: unknown): Reply => ({ status: 200, body: JSON.stringify(value) })

/** Routes of a user's passkeys. */
export const makePasskeyHandlers = Effect.gen(function* () {
  const passkeys = yield* Passkeys
  const log = yield* SecurityLog
  const audit = yield* SellerAudit

  const handlers: GroupHandlers<typeof passkeysGroup> = {
    beginPasskeyRegistration: Effect.fnUntraced(function* ({ query, session, browser }) {
      // It reads, but ends the challenge before: no page of another site may do that.
      if (browser.crossSite !== undefined) return yield* browser.crossSite
      const { authenticatorAttachment } = query
      return json(yield* passkeys.beginRegistration(session, browser.relyingParty(), authenticatorAttachment))
    }),

    registerPasskey: Effect.fnUntraced(function* ({ payload, session, browser }) {
      const { userId, sellerId } = session
      const { response, name = "Passkey" } = payload
      const added = yield* passkeys.register(session, browser.relyingParty(), { response, name })
      yield* log.write("passkey.added", { user_id: userId, seller_id: sellerId, id: added.id })
      yield* audit.did(session, ofUser("user.passkey_added", userId, { passkey_id: added.id }))
      return json(passkeyResource(userId, added))
    }),

    listPasskeys: ({ session: { userId } }) =>
      Effect.map(passkeys.list(userId), (found) =>
        json(found.map((passkey) => passkeyResource(userId, passkey))),
      ),

    deletePasskey: Effect.fnUntraced(function* ({ payload: { id }, session }) {
      yield* passkeys.remove(session, id)
      yield* log.revoked("passkey", { userId: session.userId, id }, "removed")
      yield* audit.did(session, ofUser("user.passkey_removed", session.userId, { passkey_id: id }))
      return json({ status: true })
    }),

    renamePasskey: ({ payload: { id, name }, session: { userId } }) =>
      Effect.map(passkeys.rename(userId, id, name), (passkey) =>
        json({ passkey: passkeyResource(userId, passkey) }),
      ),
  }
  return handlers
})
