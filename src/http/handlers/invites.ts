import { Effect } from "effect"
import type { invitesGroup } from "../../../schema/api/admin.ts"
import { limits } from "../../../schema/limits.ts"
import type { Invite } from "../../../schema/resources/operator.ts"
import { OperatorLog } from "../../accounts/operatorLog.ts"
import { InviteMails } from "../../accounts/users/inviteMails.ts"
import { Invites } from "../../accounts/users/invites.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { orFail, pageReply, pageSize } from "./page.ts"

/** Routes of invites, for operators. */
export const makeInviteHandlers = Effect.gen(function* () {
  const invites = yield* Invites
  const inviteMails = yield* InviteMails
  const operatorLog = yield* OperatorLog
  const cursors = yield* Cursors

  /** Reads on until the page is full and one more is known, or enough invites were examined; then the page is short. */
  const scan = Effect.fnUntraced(function* (
    before: string | undefined,
    size: number,
    matches: (invite: Invite) => boolean,
  ) {
    const found: Array<Invite> = []
    let position = before
    for (let scanned = 0; scanned < limits.filterScanEntriesMax; scanned += limits.pageSizeMax) {
      const read = yield* invites.list(position, limits.pageSizeMax)
      for (const invite of read) {
        if (found.length === size && matches(invite)) return { found, next: position }
        if (matches(invite)) found.push(invite)
        position = invite.id
      }
      if (read.length === 0) return { found, next: undefined }
    }
    return { found, next: position }
  })

  const handlers: GroupHandlers<typeof invitesGroup> = {
    createInvite: Effect.fnUntraced(function* ({ payload, session }) {
      const { invite } = yield* inviteMails.invite(payload.email, session.userId)
      return { status: 201, body: JSON.stringify(invite) }
    }),

    listInvites: Effect.fnUntraced(function* ({ query }) {
      const { limit, cursor, ...filters } = query
      const scope = { list: "invites", principal: undefined, filters }
      const before = yield* orFail(cursors.decode(scope, cursor))
      const matches = ({ status }: Invite) => filters.status === undefined || status === filters.status
      const { found, next } = yield* scan(before, pageSize(limit), matches)
      return pageReply(
        found.map((invite) => JSON.stringify(invite)),
        next === undefined ? undefined : cursors.encode(scope, next),
      )
    }),

    revokeInvite: Effect.fnUntraced(function* ({ params, session }) {
      yield* invites.checkRevocable(params.id)
      yield* operatorLog.append({
        operatorId: session.userId,
        action: "invite.revoked",
        resourceType: "invite",
        resourceId: params.id,
        details: {},
      })
      yield* invites.revoke(params.id)
      return { status: 204, body: "" }
    }),
  }
  return handlers
})
