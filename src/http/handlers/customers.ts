import { Effect } from "effect"
import { CustomerDigests } from "../../../actors/ports/customerDigests.ts"
import { CustomerStore } from "../../../actors/ports/customerStore.ts"
import { SecretOpener } from "../../../actors/ports/secretOpener.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import type { customersGroup, sessionCustomersGroup } from "../../../schema/api/customers.ts"
import { ApiError, resourceNotFound, validationFailed } from "../../../schema/errors.ts"
import { customerDigestOf, isId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { askAgain } from "../../accounts/askAgain.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import type { GroupHandlers } from "../server/request.ts"
import { Cursors } from "./cursors.ts"
import { makeCustomerPages } from "./customerPages.ts"
import { keyRevoked, orFail, pageReply, pageSize, withoutKey } from "./page.ts"
import { forSession } from "./sessionReads.ts"

type CustomerHandlers = GroupHandlers<typeof customersGroup>

/** Routes of customers (docs/contract/customers.md), with either credential. */
export const makeCustomerHandlers = Effect.gen(function* () {
  const customers = yield* CustomerStore
  const charges = yield* TransactionStore
  const cursors = yield* Cursors
  const audit = yield* SellerAudit
  const opener = yield* SecretOpener
  const pages = makeCustomerPages({ charges, customers, opener, digests: yield* CustomerDigests })

  const find = Effect.fnUntraced(function* (principal: Principal, id: string) {
    const digest = customerDigestOf(principal, id)
    const customer = digest === undefined ? undefined : yield* pages.get(principal, digest)
    return customer ?? (yield* resourceNotFound("customer", id))
  })

  const handlers: CustomerHandlers = {
    listCustomers: Effect.fnUntraced(function* ({ query, principal }) {
      const { limit, cursor, ...filters } = query
      // With a q even where there is none, as in cursors from before there were other filters.
      const scope = { list: "customers", principal, filters: { q: undefined, ...filters } }
      const beforeId = yield* orFail(cursors.decode(scope, cursor))
      const { found, next } = yield* pages.page(principal, filters, beforeId, pageSize(limit))
      return pageReply(
        found.map((customer) => JSON.stringify(customer)),
        next === undefined ? undefined : cursors.encode(scope, next),
      )
    }),

    getCustomer: Effect.fnUntraced(function* ({ params: { id }, principal }) {
      return { status: 200, body: JSON.stringify(yield* find(principal, id)) }
    }),

    getTransactionCustomer: Effect.fnUntraced(function* ({ params: { id }, principal }) {
      const charge = isId("txn_", id) ? yield* charges.get(principal, id) : undefined
      if (charge === undefined) return yield* resourceNotFound("transaction", id)
      if ("kind" in charge) return yield* keyRevoked()
      const customer =
        charge.customer === undefined ? undefined : yield* pages.get(principal, charge.customer)
      if (customer === undefined) {
        return yield* new ApiError({
          code: "resource_not_found",
          message: `The charge '${id}' has no customer: it was erased, or the charge is from before there were customers.`,
        })
      }
      return { status: 200, body: JSON.stringify(customer) }
    }),
  }

  const session: GroupHandlers<typeof sessionCustomersGroup> = {
    listMyCustomers: forSession(handlers.listCustomers),
    getMyCustomer: forSession(handlers.getCustomer),
    getMyTransactionCustomer: forSession(handlers.getTransactionCustomer),

    mergeCustomer: Effect.fnUntraced(function* ({ params: { id }, payload, principal }) {
      const from = yield* withoutKey(find(principal, id))
      const intoDigest = customerDigestOf(principal, payload.into)
      const into = intoDigest === undefined ? undefined : yield* withoutKey(pages.get(principal, intoDigest))
      if (into === undefined || id === payload.into) {
        return yield* validationFailed(
          "into",
          "into is not the id of another customer of this seller and mode.",
        )
      }
      const [fromRoot, intoRoot] = [from.id, into.id].map((one) => customerDigestOf(principal, one) ?? "")
      const merge = { from: fromRoot ?? "", into: intoRoot ?? "", mergedMax: limits.mergedCustomersMax }
      const { kind } = yield* audit.does(
        principal,
        {
          action: "customer.merged",
          resourceType: "customer",
          resourceId: from.id,
          details: { mode: principal.mode, into: into.id },
        },
        askAgain(customers.merge(principal, merge)),
      )
      if (kind === "full") {
        return yield* new ApiError({
          code: "invalid_state",
          message: `At most ${limits.mergedCustomersMax} customers can be merged into one.`,
        })
      }
      return { status: 200, body: JSON.stringify(yield* withoutKey(find(principal, into.id))) }
    }),
  }
  return { ...handlers, ...session }
})
