import { HttpApi } from "effect/http-api"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { api } from "../../schema/api/index.ts"
import { FeedAuth, SellerAuth } from "../../schema/api/security.ts"
import { type MemberRole, memberRoles } from "../../schema/memberRoles.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { checkDocumented } from "../support/documentedAnswers.ts"
import { freshKey, makeCharge } from "./support/charges.ts"
import type { ErrorBody } from "./support/client.ts"
import { openStage, type Stage } from "./support/stage.ts"

/** Who may ask each route that takes a seller's session, as docs/contract/members.md#roles has them. */
const routesOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  "owner finance developer support viewer": [
    "getSeller",
    "getBrand",
    "getSavedViews",
    "putSavedViews",
    "getCounters",
    "listSellerAudit",
    "exportSellerAudit",
    "listMembers",
    "leaveTeam",
    "listMyCustomers",
    "getMyCustomer",
    "getMyTransactionCustomer",
    "listApiKeys",
    "listNotes",
    "getSeries",
    "listRequests",
    "listRequestErrors",
    "search",
    "getMyRefund",
    "listMyRefunds",
    "exportMyRefunds",
    "listMyPaymentLinks",
    "getMyPaymentLink",
    "listMyPixKeys",
    "listEndpoints",
    "getEndpoint",
    "getEndpointStats",
    "listWaitingDeliveries",
    "getPostbackSecret",
    "getTracker",
    "getBulk",
    "getMyWithdrawal",
    "listMyWithdrawals",
    "exportMyWithdrawals",
    "getMyBalance",
    "getMyBalanceReleases",
    "listMyLedger",
    "getNotifications",
    "listReports",
    "listMyEvents",
    "getMyEvent",
    "listMyEventTypes",
    "listMyDeliveries",
    "getMyDelivery",
    "listMyTransactions",
    "exportMyTransactions",
    "exportChosenTransactions",
    "summarizeMyTransactions",
    "getMyTransaction",
    "getMyTestClock",
    "getMyRefundReceipt",
    "getMyWithdrawalReceipt",
    "getMyStatement",
    "getMyStatementSummary",
    "exportMyStatement",
    "streamEvents",
  ],
  owner: [
    ...["patchSeller", "submitKyc", "putBrand", "putNotifications", "testNotification"],
    ...["inviteMember", "changeMember", "removeMember", "resendInvitation", "transferOwnership"],
  ],
  "owner finance developer": ["createMyTransaction", "createMyPaymentLink", "changeMyPaymentLink"],
  "owner finance": [
    "createMyWithdrawal",
    "cancelMyWithdrawal",
    "createPixKey",
    "deletePixKey",
    "createReport",
    "sendReport",
    "deleteReport",
  ],
  "owner finance support": [
    "createMyRefund",
    "mergeCustomer",
    "createNote",
    "deleteNote",
    "sendMyTransactionReceipt",
    "sendMyRefundReceipt",
    "sendMyWithdrawalReceipt",
  ],
  "owner developer": [
    "createApiKey",
    "rotateApiKey",
    "deleteApiKey",
    "createEndpoint",
    "patchEndpoint",
    "deleteEndpoint",
    "rotateEndpointSecret",
    "pingEndpoint",
    "testEndpoint",
    "recoverEndpoint",
    "rotatePostbackSecret",
    "putTracker",
    "deleteTracker",
    "retryMyDelivery",
    "payMyTestTransaction",
    "expireMyTestTransaction",
    "failMyTestTransaction",
    "refundMyTestTransaction",
    "chargebackMyTestTransaction",
    "approveMyTestWithdrawal",
    "rejectMyTestWithdrawal",
    "succeedMyTestWithdrawal",
    "failMyTestWithdrawal",
    "succeedMyTestRefund",
    "failMyTestRefund",
    "advanceMyTestClock",
  ],
  "owner finance developer support": ["createBulk"],
}
const rolesOf = new Map(
  Object.entries(routesOf).flatMap(([roles, names]) =>
    names.map((name) => [name, roles.split(" ")] as const),
  ),
)

interface SessionRoute {
  readonly name: string
  readonly method: string
  readonly path: string
}
const routes: Array<SessionRoute> = []
HttpApi.reflect(api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { identifier, method, path, middlewares } }) => {
    const takesSession = [...middlewares].some(({ key }) => key === SellerAuth.key || key === FeedAuth.key)
    if (takesSession) routes.push({ name: identifier, method, path })
  },
})

let stage: Stage
let seller: Awaited<ReturnType<Stage["newSeller"]>>
const cookies = new Map<MemberRole, string>()
beforeAll(async () => {
  stage = await openStage()
  seller = await stage.newSeller()
  for (const role of memberRoles) {
    cookies.set(role, (await signInAsSeller(stage.service, seller.id, { role, refundLimit: 500 })).cookie)
  }
})
afterAll(() => stage?.close())

/** Sends a member's request; closes a stream as soon as it begins. */
const send = async (
  { method, path }: Pick<SessionRoute, "method" | "path">,
  role: MemberRole,
  { mode = "test", body }: { readonly mode?: string; readonly body?: object } = {},
) => {
  const named = path.replace(/:\w+/g, "nope")
  const response = await fetch(stage.service.url + named, {
    method,
    headers: {
      Cookie: cookies.get(role) ?? "",
      "X-Mode": mode,
      "Content-Type": "application/json",
      "Idempotency-Key": freshKey(),
    },
    // By default wrong in all but who asks.
    ...(method === "GET" ? {} : { body: body === undefined ? "{" : JSON.stringify(body) }),
  })
  const contentType = response.headers.get("content-type") ?? ""
  const isStream = contentType.startsWith("text/event-stream")
  if (isStream) await response.body?.cancel()
  const text = isStream ? "" : await response.text()
  checkDocumented(method, named, { status: response.status, contentType, text })
  const { error } = (text.startsWith("{") ? JSON.parse(text) : {}) as Partial<ErrorBody>
  return { status: response.status, error, text }
}

describe("the roles of members", () => {
  it("every route that takes sellers' sessions is in the table", () => {
    expect([...rolesOf.keys()].sort()).toEqual(routes.map(({ name }) => name).sort())
  })

  const describeRoute = (route: SessionRoute) => {
    const roles = rolesOf.get(route.name) ?? []
    it(`${route.method} ${route.path} is open to ${roles.join(", ")} alone`, async () => {
      for (const role of memberRoles) {
        const { status, error } = await send(route, role)
        if (roles.includes(role)) expect([role, status]).not.toEqual([role, 403])
        else {
          expect([role, status, error?.code, error?.details]).toEqual([
            ...[role, 403, "permission_denied"],
            { roles },
          ])
        }
      }
    })
  }
  const isLeaving = ({ name }: SessionRoute) => name === "leaveTeam"
  for (const route of routes) if (!isLeaving(route)) describeRoute(route)

  it("a developer has keys of test mode, and those of live mode are the owner's", async () => {
    const create = { method: "POST", path: "/v1/me/api-keys" }
    const made = await send(create, "developer", { body: { name: "Checkout", mode: "test" } })
    expect(made.status).toBe(201)
    const ofOwner = await send(create, "owner", { body: { name: "Checkout", mode: "live" } })
    expect(ofOwner.status).toBe(201)
    const test = JSON.parse(made.text) as { id: string }
    const live = JSON.parse(ofOwner.text) as { id: string }
    const refused = [
      await send(create, "developer", { body: { name: "Checkout", mode: "live" } }),
      await send({ method: "POST", path: `/v1/me/api-keys/${live.id}/rotate` }, "developer"),
      await send({ method: "DELETE", path: `/v1/me/api-keys/${live.id}` }, "developer", { mode: "live" }),
    ]
    for (const { status, error } of refused) {
      expect([status, error?.code, error?.details]).toEqual([403, "permission_denied", { roles: ["owner"] }])
    }
    const rotate = { method: "POST", path: `/v1/me/api-keys/${test.id}/rotate` }
    expect((await send(rotate, "developer", { body: {} })).status).toBe(201)
    const remove = { method: "DELETE", path: `/v1/me/api-keys/${test.id}` }
    expect((await send(remove, "developer")).status).toBe(204)
  })

  it("support refunds up to its limit at once, by default and by name, and others refund any amount", async () => {
    const paid = async (amount: number) => {
      const { id } = await makeCharge(seller.test, { amount })
      await seller.test.post(`/v1/test/transactions/${id}/pay`)
      return `/v1/me/transactions/${id}/refunds`
    }
    const [small, large] = [await paid(500), await paid(501)]
    const refund = (path: string, role: MemberRole, body: object) =>
      send({ method: "POST", path }, role, { body })
    expect((await refund(small, "support", {})).status).toBe(201)
    for (const body of [{}, { amount: 501 }]) {
      const { status, error } = await refund(large, "support", body)
      expect([status, error?.code, error?.param, error?.details]).toEqual([
        ...[403, "permission_denied", "amount"],
        { roles: ["owner", "finance"], refund_limit: 500, amount: 501 },
      ])
    }
    expect((await refund(large, "support", { amount: 500 })).status).toBe(201)
    expect((await refund(await paid(501), "finance", {})).status).toBe(201)
  })

  it("a bulk act takes the role that each of its rows takes", async () => {
    const bulk = { method: "POST", path: "/v1/me/bulk" }
    const refusals = [
      ["developer", "refund", ["owner", "finance", "support"]],
      ["support", "cancel_withdrawal", ["owner", "finance"]],
      ["finance", "resend", ["owner", "developer"]],
    ] as const
    for (const [role, act, roles] of refusals) {
      const { status, error } = await send(bulk, role, { body: { act, ids: ["nope"] } })
      expect([status, error?.code, error?.details]).toEqual([403, "permission_denied", { roles }])
    }
    const taken = await send(bulk, "support", { body: { act: "refund", ids: ["nope"] } })
    expect(taken.status).toBe(202)
  })

  // Last: after it nobody but the owner is in the team.
  for (const route of routes) if (isLeaving(route)) describeRoute(route)
})
