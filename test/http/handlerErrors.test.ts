import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { healthGroup } from "../../schema/api/health.ts"
import type { transactionsGroup } from "../../schema/api/transactions.ts"
import { ApiError, resourceNotFound, serviceUnavailable } from "../../schema/errors.ts"
import type { GroupHandlers } from "../../src/http/server/request.ts"

type Transactions = GroupHandlers<typeof transactionsGroup>

/** The compiler is what is tested: where it takes one of these, `npm run check` reports that nothing was expected. */
const declared: Pick<Transactions, "getTransaction"> = {
  getTransaction: ({ params }) => Effect.fail(resourceNotFound("transaction", params.id)),
}
const ofAnyRoute: Pick<Transactions, "getTransaction"> = {
  getTransaction: () => Effect.fail(serviceUnavailable("Try again.")),
}
const undeclared: Pick<Transactions, "getTransaction"> = {
  // @ts-expect-error the route declares no `payout_locked`
  getTransaction: () => Effect.fail(new ApiError({ code: "payout_locked", message: "No." })),
}
const oneOfTwo: Pick<Transactions, "getTransaction"> = {
  // @ts-expect-error the route declares the first of both alone
  getTransaction: Effect.fnUntraced(function* ({ params }) {
    if (params.id === "") return yield* resourceNotFound("transaction", params.id)
    return yield* new ApiError({ code: "mfa_required", message: "No." })
  }),
}
const anyCode: Pick<Transactions, "getTransaction"> = {
  // @ts-expect-error an error of which nothing is known may have any code
  getTransaction: (): Effect.Effect<never, ApiError> => Effect.die("never called"),
}
const ofProbe: Pick<GroupHandlers<typeof healthGroup>, "health"> = {
  // @ts-expect-error the route declares no error at all
  health: () => Effect.fail(resourceNotFound("service", "")),
}

describe("the errors of handlers", () => {
  it("a handler compiles only where its route declares every code that it fails with", () => {
    expect([declared, ofAnyRoute, undeclared, oneOfTwo, anyCode, ofProbe]).toHaveLength(6)
  })
})
