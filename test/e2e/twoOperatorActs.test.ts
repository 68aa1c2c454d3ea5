import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { signInAsOperator } from "../support/dashboard.ts"
import { makePixKey } from "../support/pixKey.ts"
import { freshKey } from "./support/charges.ts"
import { type DashboardClient, openTwoOperators } from "./support/dashboardClient.ts"
import { openExceptionStore } from "./support/exceptions.ts"
import { paidCharge } from "./support/refunds.ts"
import { openStage, type Stage } from "./support/stage.ts"
import { fund, withdraw } from "./support/withdrawals.ts"

let stage: Stage
let ana: DashboardClient
let rui: DashboardClient
let exceptions: ReturnType<typeof openExceptionStore>
beforeAll(async () => {
  stage = await openStage({ SIMULATOR_DELAY_MS: "50", OPERATOR_APPROVALS: "2" })
  ;({ ana, rui } = await openTwoOperators(stage.service))
  exceptions = openExceptionStore(stage)
})
afterAll(async () => {
  await exceptions?.dispose()
  await stage?.close()
})

/** An act that an operator can ask for. */
interface Asked {
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** An act: its route, how many operators it needs, and what it is asked about. */
interface Act {
  readonly route: string
  readonly what: string
  readonly operators: "one" | "two"
  readonly prepare: () => Promise<Asked>
}

const sellers = "/v1/admin/sellers"
const dayMillis = 86_400_000
const inDays = (days: number) =>
  new Date(Math.ceil(Date.now() / 1_000) * 1_000 + days * dayMillis).toISOString()

/** An act on a new seller, after acts that one operator may do. */
const ofSeller =
  (name: string, body: object, before: ReadonlyArray<readonly [name: string, body: object]> = []) =>
  async (): Promise<Asked> => {
    const { id } = await stage.newSeller({ document: "52998224725" })
    for (const [earlier, earlierBody] of before) {
      const method = earlier === "settings" ? "PATCH" : "POST"
      const { status } = await ana.send(method, `${sellers}/${id}/${earlier}`, earlierBody)
      expect(status).toBe(200)
    }
    return { path: `${sellers}/${id}/${name}`, body }
  }
const kyc = `POST ${sellers}/{id}/kyc`
const status = `POST ${sellers}/{id}/status`
const lock = `POST ${sellers}/{id}/payout-lock`
const settings = `PATCH ${sellers}/{id}/settings`
const suspended = ["status", { status: "suspended" }] as const
const locked = ["payout-lock", { until: inDays(9) }] as const
const rejected = ["kyc", { status: "rejected" }] as const

const ofPixKey = (decision: string) => async (): Promise<Asked> => ({
  path: `/v1/admin/pix-keys/${await makePixKey(stage, await stage.newSeller(), "live", "pending_approval")}/${decision}`,
  body: {},
})
const ofWithdrawal = (decision: string) => async (): Promise<Asked> => {
  const seller = await stage.newSeller()
  await fund(seller.live, 20_000)
  const { id } = await withdraw(seller.live, await makePixKey(stage, seller, "live"), 5_000)
  return { path: `/v1/admin/withdrawals/${id}/${decision}`, body: {} }
}
const ofException = (body: object) => async (): Promise<Asked> => ({
  path: `/v1/admin/exceptions/${await exceptions.openUnknown()}/resolve`,
  body: { reason: "checked", ...body },
})
const ofExceptions = (body: object) => async (): Promise<Asked> => ({
  path: "/v1/admin/exceptions/resolve",
  body: { ids: [await exceptions.openUnknown()], reason: "checked", ...body },
})
const refund = async (): Promise<Asked> => {
  const seller = await stage.newSeller()
  const { id } = await paidCharge(seller.live, 20_000)
  return {
    path: `/v1/admin/transactions/${id}/refunds`,
    body: { amount: 5_000 },
    headers: { "Idempotency-Key": freshKey() },
  }
}

const users = "/v1/admin/users"
/** An act on a new operator, after another act. */
const ofUser = (name: string, before?: string) => async (): Promise<Asked> => {
  const { userId } = await signInAsOperator(stage.service)
  if (before !== undefined) {
    expect((await ana.send("POST", `${users}/${userId}/${before}`, {})).status).toBe(200)
  }
  return { path: `${users}/${userId}/${name}`, body: {} }
}

const acts: ReadonlyArray<Act> = [
  // Who may charge and be paid.
  {
    route: kyc,
    what: "approve",
    operators: "two",
    prepare: ofSeller("kyc", { status: "approved" }, [rejected]),
  },
  { route: kyc, what: "reject", operators: "one", prepare: ofSeller("kyc", { status: "rejected" }) },
  { route: status, what: "suspend", operators: "one", prepare: ofSeller("status", { status: "suspended" }) },
  {
    route: status,
    what: "reactivate",
    operators: "two",
    prepare: ofSeller("status", { status: "active" }, [suspended]),
  },
  { route: lock, what: "lock", operators: "one", prepare: ofSeller("payout-lock", { until: inDays(1) }) },
  {
    route: lock,
    what: "lock longer",
    operators: "one",
    prepare: ofSeller("payout-lock", { until: inDays(10) }, [locked]),
  },
  {
    route: lock,
    what: "lock shorter",
    operators: "two",
    prepare: ofSeller("payout-lock", { until: inDays(8) }, [locked]),
  },
  {
    route: lock,
    what: "unlock",
    operators: "two",
    prepare: ofSeller("payout-lock", { until: null }, [locked]),
  },
  ...(
    [
      ["withdrawal_auto_approval", true, "two"],
      ["withdrawal_daily_value", 5_000_001, "two"],
      ["withdrawal_daily_value", 4_999_999, "one"],
      ["withdrawal_daily_count", 19, "one"],
      ["withdrawal_fee", 99, "two"],
      ["withdrawal_fee", 101, "one"],
      ["charge_fee_bps", 1, "one"],
      ["charge_fee_fixed", 1, "one"],
      ["reserve_bps", 1, "one"],
      ["reserve_days", 1, "one"],
    ] as const
  ).map(([name, value, operators]) => ({
    ...{ route: settings, what: `${name} ${value}`, operators },
    prepare: ofSeller("settings", { [name]: value }),
  })),
  ...(["charge_fee_bps", "charge_fee_fixed", "reserve_bps", "reserve_days"] as const).map((name) => ({
    ...{ route: settings, what: `${name} down to 0`, operators: "two" as const },
    prepare: ofSeller("settings", { [name]: 0 }, [["settings", { [name]: 1 }]]),
  })),
  {
    ...{ route: settings, what: "withdrawal_daily_count 20 after 19", operators: "two" },
    prepare: ofSeller("settings", { withdrawal_daily_count: 20 }, [
      ["settings", { withdrawal_daily_count: 19 }],
    ]),
  },
  {
    route: "POST /v1/admin/pix-keys/{id}/approve",
    what: "approve",
    operators: "two",
    prepare: ofPixKey("approve"),
  },
  {
    route: "POST /v1/admin/pix-keys/{id}/refuse",
    what: "refuse",
    operators: "one",
    prepare: ofPixKey("refuse"),
  },
  // Money.
  {
    route: "POST /v1/admin/withdrawals/{id}/approve",
    what: "approve",
    operators: "two",
    prepare: ofWithdrawal("approve"),
  },
  {
    route: "POST /v1/admin/withdrawals/{id}/reject",
    what: "reject",
    operators: "one",
    prepare: ofWithdrawal("reject"),
  },
  { route: "POST /v1/admin/transactions/{id}/refunds", what: "refund", operators: "two", prepare: refund },
  {
    route: "POST /v1/admin/exceptions/{id}/resolve",
    what: "dismiss",
    operators: "one",
    prepare: ofException({ act: "dismiss" }),
  },
  {
    ...{ route: "POST /v1/admin/exceptions/{id}/resolve", what: "credit", operators: "two" },
    prepare: async () => ofException({ act: "credit", seller_id: (await stage.newSeller()).id })(),
  },
  {
    route: "POST /v1/admin/exceptions/resolve",
    what: "dismiss",
    operators: "one",
    prepare: ofExceptions({ act: "dismiss" }),
  },
  {
    ...{ route: "POST /v1/admin/exceptions/resolve", what: "credit", operators: "two" },
    prepare: async () => ofExceptions({ act: "credit", seller_id: (await stage.newSeller()).id })(),
  },
  // People, and what moves nothing.
  { route: `POST ${users}/{id}/disable`, what: "disable", operators: "one", prepare: ofUser("disable") },
  {
    route: `POST ${users}/{id}/end-sessions`,
    what: "end sessions",
    operators: "one",
    prepare: ofUser("end-sessions"),
  },
  {
    route: `POST ${users}/{id}/enable`,
    what: "enable",
    operators: "two",
    prepare: ofUser("enable", "disable"),
  },
  {
    ...{ route: "POST /v1/admin/invites", what: "invite", operators: "one" },
    prepare: async () => ({ path: "/v1/admin/invites", body: { email: `${freshKey()}@example.com` } }),
  },
]

/** Acts that other tests hold: those of a withdrawal paid by hand need two (manualPayouts.test.ts), these need one. */
const elsewhere: Readonly<Record<string, "one" | "two">> = {
  "POST /v1/admin/withdrawals/{id}/settle": "two",
  "POST /v1/admin/withdrawals/{id}/fail": "two",
  "DELETE /v1/admin/invites/{id}": "one",
  "POST /v1/admin/inbox/{id}/reprocess": "one",
}

describe("how many operators an act needs, of OPERATOR_APPROVALS=2", () => {
  it("every act of an operator's routes has its number", async () => {
    const answer = await fetch(`${stage.service.url}/openapi.json`)
    const { paths } = (await answer.json()) as { readonly paths: Readonly<Record<string, object>> }
    const routes = Object.entries(paths)
      .filter(([path]) => path.startsWith("/v1/admin/"))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
      .filter((route) => !route.startsWith("GET "))
    expect(routes.toSorted()).toEqual(
      [...new Set([...acts.map(({ route }) => route), ...Object.keys(elsewhere)])].toSorted(),
    )
  })

  for (const { route, what, operators, prepare } of acts) {
    it(`${route} (${what}) needs ${operators}`, async () => {
      const [method = ""] = route.split(" ")
      const { path, body, headers } = await prepare()
      const call = (by: DashboardClient) => by.request<object>(method, path, { body, headers: headers ?? {} })
      const first = await call(ana)
      if (operators === "one") return expect(first.status).toBeLessThan(202)
      expect([first.status, first.body]).toEqual([202, { status: "awaiting_second_operator" }])
      expect((await call(ana)).status).toBe(202)
      expect((await call(rui)).status).toBeLessThan(202)
    })
  }

  it("a call about a seller that has changed since the first one waits for another", async () => {
    const { path, body } = await ofSeller("kyc", { status: "approved" }, [rejected])()
    expect((await ana.send("POST", path, body)).status).toBe(202)
    await ana.send("PATCH", path.replace(/kyc$/, "settings"), { withdrawal_fee: 200 })
    expect((await rui.send("POST", path, body)).status).toBe(202)
    expect((await ana.send("POST", path, body)).status).toBe(200)
  })

  it("whoever asked that a user be enabled did not ask for it after the user was disabled again", async () => {
    const { path, body } = await ofUser("enable", "disable")()
    const enable = async (by: DashboardClient) => (await by.send("POST", path, body)).status
    expect(await enable(ana)).toBe(202)
    expect(await enable(rui)).toBe(200)
    expect(await enable(rui)).toBe(200)
    expect((await rui.send("POST", path.replace(/enable$/, "disable"), {})).status).toBe(200)
    expect([await enable(rui), await enable(rui), await enable(ana)]).toEqual([202, 202, 200])
  })

  it("whoever asked for the end of a lock asked for a later end, too, and nobody for an earlier one", async () => {
    const until = (by: DashboardClient, path: string, days: number) =>
      by.send("POST", path, { until: inDays(days) })
    const later = await ofSeller("payout-lock", {}, [locked])()
    expect((await until(ana, later.path, 5)).status).toBe(202)
    expect((await until(rui, later.path, 6)).status).toBe(200)
    const earlier = await ofSeller("payout-lock", {}, [locked])()
    expect((await until(ana, earlier.path, 5)).status).toBe(202)
    expect((await until(rui, earlier.path, 4)).status).toBe(202)
  })
})
