import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import type { Customer } from "../../schema/resources/customer.ts"
import type { Refund } from "../../schema/resources/refund.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { freshKey, makeCharge } from "./support/charges.ts"
import { type Client, type ErrorBody, type Page, readAll } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { openStage, type Seller, type Stage } from "./support/stage.ts"

let stage: Stage
let seller: Seller
beforeAll(async () => {
  stage = await openStage()
  seller = await stage.newSeller()
})
afterAll(() => stage?.close())

const path = "/v1/customers"

/** Documents that test mode takes. */
let people = 0
const newPerson = (name: string) => {
  people += 1
  const document = String(10_000_000_000 + people)
  return { name, email: `${name.split(" ")[0]?.toLowerCase()}.${people}@example.com`, document }
}
type Person = ReturnType<typeof newPerson>

/** A charge that the simulator leaves alone. */
const charge = (customer: Person, amount = 12_901, client: Client = seller.test) =>
  makeCharge(client, { customer, amount })
const act = async (client: Client, id: string, name: string) => {
  const answer = await client.post(`/v1/test/transactions/${id}/${name}`)
  if (answer.status !== 200) throw new Error(answer.text)
}
const customerOf = async (id: string, client: Client = seller.test): Promise<Customer> =>
  (await client.get<Customer>(`/v1/transactions/${id}/customer`)).body
const names = async (query: string, client: Client = seller.test) =>
  (await readAll<Customer>(client, path, query)).map(({ name }) => name)

describe("customers by the API", () => {
  it("a customer comes with its first charge, and tells what its charges add up to", async () => {
    const ana = newPerson("Ana Souza")
    const first = await charge(ana, 10_001)
    const customer = await customerOf(first.id)
    expect(customer).toEqual({
      id: expect.stringMatching(/^cus_[0-9A-Z]{26}$/),
      object: "customer",
      ...ana,
      phone: null,
      charges: 1,
      paid_amount: 0,
      refunded_amount: 0,
      first_charge_at: first.created_at,
      last_charge_at: first.created_at,
    })
    await act(seller.test, first.id, "pay")
    const asked = await seller.test.post<Refund>(`/v1/transactions/${first.id}/refunds`, {
      body: { amount: 301 },
      headers: { "Idempotency-Key": freshKey() },
    })
    expect((await seller.test.post(`/v1/test/refunds/${asked.body.id}/succeed`)).status).toBe(200)
    const renamed = { ...ana, name: "Ana Souza Lima", document: ana.document.replace(/^(...)/, "$1.") }
    const second = await charge(renamed, 20_001)
    await act(seller.test, second.id, "pay")
    await act(seller.test, second.id, "chargeback")
    await charge(newPerson("Bia Reis"))
    const { body } = await seller.test.get<Customer>(`${path}/${customer.id}`)
    expect(body).toEqual({
      ...{ ...customer, name: "Ana Souza Lima", charges: 2, paid_amount: 30_002, refunded_amount: 20_302 },
      last_charge_at: second.created_at,
    })
    const listed = (await seller.test.get<Page<Transaction>>(`/v1/transactions?customer_id=${customer.id}`))
      .body
    expect(listed.data.map(({ id }) => id)).toEqual([second.id, first.id])
    const paid = `/v1/transactions?customer_id=${customer.id}&status=paid`
    expect((await seller.test.get<Page<Transaction>>(paid)).body.data.map(({ id }) => id)).toEqual([first.id])
    const summary = await seller.test.get(`/v1/transactions/summary?customer_id=${customer.id}`)
    expect(summary.body).toMatchObject({ count: 2, gross: 30_002, refunded: 20_302, complete: true })
    expect((await seller.test.get(`/v1/transactions/export?customer_id=${customer.id}`)).text).toContain(
      first.id,
    )
  })

  it("a customer is of its seller and mode alone", async () => {
    const ana = newPerson("Ana Souza")
    const customer = await customerOf((await charge(ana)).id)
    const other = await stage.newSeller()
    for (const client of [seller.live, other.test]) {
      const answer = await client.get<ErrorBody>(`${path}/${customer.id}`)
      expect([answer.status, answer.body.error.code]).toEqual([404, "resource_not_found"])
      const { body } = await client.get<Page<Transaction>>(`/v1/transactions?customer_id=${customer.id}`)
      expect(body.data).toEqual([])
    }
    const theirs = await customerOf((await charge(ana, 12_901, other.test)).id, other.test)
    expect(theirs.id).not.toBe(customer.id)
    for (const id of [
      "cus_x",
      "txn_01KA0000000700000000000000",
      customer.id.replace(/.$/, (last) => (last === "Z" ? "Y" : "Z")),
    ]) {
      expect((await seller.test.get(`${path}/${id}`)).status).toBe(404)
    }
    expect((await seller.test.get("/v1/transactions/txn_01KA0000000700000000000000/customer")).status).toBe(
      404,
    )
    expect((await seller.test.get(`/v1/transactions?customer_id=`)).status).toBe(400)
  })

  it("customers are listed once each, by their newest charge, in pages", async () => {
    const { test } = await stage.newSeller()
    expect(await names("limit=10", test)).toEqual([])
    const everybody = ["Ana", "Bia", "Cleo", "Duda", "Edu"].map((name) => newPerson(`${name} Souza`))
    for (const person of everybody) await charge(person, 101, test)
    for (const person of everybody.slice(0, 2)) {
      for (let i = 0; i < 3; i++) await charge(person, 101, test)
    }
    const expected = ["Bia Souza", "Ana Souza", "Edu Souza", "Duda Souza", "Cleo Souza"]
    for (const limit of [1, 2, 4, 5, 100]) expect(await names(`limit=${limit}`, test)).toEqual(expected)
    const { body } = await test.get<Page<Customer>>(`${path}?limit=4`)
    expect([body.data.length, body.next_cursor]).toEqual([4, expect.any(String)])
    const wrong = await test.get<ErrorBody>(`${path}?q=ana&cursor=${body.next_cursor}`)
    expect(wrong.body.error.code).toBe("invalid_cursor")
    for (const limit of [0, limits.pageSizeMax + 1]) {
      expect((await test.get(`${path}?limit=${limit}`)).status).toBe(400)
    }
  })

  it("customers of a period are those whose newest charge was created in it", async () => {
    const { test } = await stage.newSeller()
    const [ana, bia] = [
      { name: "Ana Souza", email: "ana@loja.example", document: "52998224725" },
      { name: "Bia Souza", email: "bia@loja.example", document: "12345678000195" },
    ]
    const later = async (person: typeof ana) => {
      // A millisecond tells their times apart.
      await new Promise((done) => setTimeout(done, 2))
      return (await makeCharge(test, { customer: person })).created_at
    }
    const [first, second, third] = [await later(ana), await later(bia), await later(ana)]
    expect(await names(`from=${first}`, test)).toEqual(["Ana Souza", "Bia Souza"])
    expect(await names(`from=${third}`, test)).toEqual(["Ana Souza"])
    expect(await names(`from=${first}&to=${second}`, test), "Ana bought later, too").toEqual(["Bia Souza"])
    expect(await names(`from=${first}&to=${first}`, test)).toEqual([])
    for (const limit of [1, 2]) {
      expect(await names(`limit=${limit}&to=${third}`, test)).toEqual(["Ana Souza", "Bia Souza"])
    }
    for (const words of ["souza", "ana", ana.document]) {
      expect(await names(`q=${words}&from=${third}`, test), words).toEqual(["Ana Souza"])
      const until = words === "souza" ? ["Bia Souza"] : []
      expect(await names(`q=${words}&to=${second}`, test), words).toEqual(until)
    }
    const { body } = await test.get<Page<Customer>>(`${path}?limit=1&from=${first}`)
    const wrong = await test.get<ErrorBody>(`${path}?limit=1&from=${second}&cursor=${body.next_cursor}`)
    expect(wrong.body.error.code).toBe("invalid_cursor")
    expect((await test.get<ErrorBody>(`${path}?from=yesterday`)).body.error.code).toBe("validation_failed")
  })

  it("customers are found by beginnings of words of name and e-mail, and of a document or by a whole one", async () => {
    const { test } = await stage.newSeller()
    const ana = { name: "Ána Souza", email: "ana@loja.example", document: "52998224725" }
    const bia = { name: "Bia Souza", email: "bia@loja.example", document: "12345678000195" }
    for (const person of [ana, bia]) await makeCharge(test, { customer: person, reference: "pedido-7" })
    await makeCharge(test, { customer: { ...ana, name: "Ana S. Lima" } })
    expect(await names("q=souza", test)).toEqual(["Bia Souza"])
    expect(await names("q=ana%20li", test)).toEqual(["Ana S. Lima"])
    expect(await names("q=bia@loja", test)).toEqual(["Bia Souza"])
    expect(await names("q=pedido-7", test)).toEqual([])
    expect(await names("q=529982", test)).toEqual(["Ana S. Lima"])
    expect(await names("q=529.982.247-25", test)).toEqual(["Ana S. Lima"])
    expect(await names("q=529.982.247-25%20bia", test)).toEqual([])
    expect(await names("q=12345678000195%20souza", test)).toEqual(["Bia Souza"])
    expect(await names("q=12345678000", test)).toEqual([])
    expect((await test.get(`${path}?q=${encodeURIComponent("a b c d e f")}`)).status).toBe(400)
  })
})

describe("customers by a session", () => {
  let mine: DashboardClient
  beforeAll(async () => {
    mine = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id), "test")
  })
  const merge = <T = Customer>(id: string, into: unknown) =>
    mine.send<T>("POST", `/v1/me/customers/${id}/merge`, { into })

  it("a merged customer is the other one from then on, with its charges, its sums and its later charges", async () => {
    const [wrong, right] = [newPerson("Ana Errada"), newPerson("Ana Certa")]
    const mistyped = await charge(wrong, 1_001)
    await act(seller.test, mistyped.id, "pay")
    const own = await charge(right, 2_001)
    const [from, into] = [await customerOf(mistyped.id), await customerOf(own.id)]
    const merged = await merge(from.id, into.id)
    expect([merged.status, merged.body]).toEqual([
      200,
      { ...into, charges: 2, paid_amount: 1_001, first_charge_at: mistyped.created_at },
    ])
    expect((await merge(from.id, into.id)).body).toEqual(merged.body)
    expect((await merge(into.id, from.id)).body).toEqual(merged.body)
    const later = await charge(wrong, 4_001)
    const now = (await mine.get<Customer>(`/v1/me/customers/${from.id}`)).body
    expect(now).toEqual({ ...merged.body, charges: 3, last_charge_at: later.created_at })
    for (const id of [from.id, into.id]) {
      const { body } = await mine.get<Page<Transaction>>(`/v1/me/transactions?customer_id=${id}`)
      expect(body.data.map((one) => one.id)).toEqual([later.id, own.id, mistyped.id])
    }
    const found = await readAll<Customer>(seller.test, path, `q=${wrong.document}`)
    expect(found).toEqual([now])
    const everybody = await readAll<Customer>(seller.test, path, "limit=100")
    expect(everybody.filter(({ id }) => id === into.id || id === from.id)).toEqual([now])
    expect(everybody[0]).toEqual(now)
    const { body: log } = await mine.get<Page<{ readonly resource_id: string; readonly details: unknown }>>(
      "/v1/me/audit?action=customer.merged",
    )
    expect(log.data.filter(({ resource_id }) => resource_id === from.id)).toMatchObject([
      { resource_type: "customer", details: { mode: "test", into: into.id } },
    ])
  })

  it("merged customers are of the period of the newest of their charges, found by words too", async () => {
    const [kept, mistyped] = [newPerson("Otávio Keller"), newPerson("Otavio Keller")]
    const older = await charge(kept)
    await new Promise((done) => setTimeout(done, 2))
    const newer = await charge(mistyped)
    const into = await customerOf(older.id)
    const from = await customerOf(newer.id)
    expect((await merge(from.id, into.id)).status).toBe(200)
    for (const query of ["q=keller", `q=${kept.document}`]) {
      expect(await names(`${query}&from=${newer.created_at}`), query).toEqual([kept.name])
      expect(await names(`${query}&to=${older.created_at}`), query).toEqual([])
    }
  })

  it("a merge needs two customers that are there, and at most as many are merged as may be", async () => {
    const { id } = await customerOf((await charge(newPerson("Ana Souza"))).id)
    const none = "cus_01KA0000000700000000000000"
    for (const into of [none, id, "", 7, undefined]) {
      const { status, body } = await merge<ErrorBody>(id, into)
      expect([status, body.error.code, body.error.param]).toEqual([400, "validation_failed", "into"])
    }
    expect((await merge(none, id)).status).toBe(404)
    for (let i = 0; i < limits.mergedCustomersMax; i++) {
      const other = await customerOf((await charge(newPerson("Ana Souza"))).id)
      expect((await merge(other.id, id)).status).toBe(200)
    }
    const tooMany = await customerOf((await charge(newPerson("Ana Souza"))).id)
    const { status, body } = await merge<ErrorBody>(tooMany.id, id)
    expect([status, body.error.code]).toEqual([409, "invalid_state"])
    expect((await mine.get<Customer>(`/v1/me/customers/${id}`)).body.charges).toBe(
      limits.mergedCustomersMax + 1,
    )
  })

  it("a customer of a charge and the list are those of the mode", async () => {
    const { id } = await charge(newPerson("Ana Souza"))
    const customer = (await mine.get<Customer>(`/v1/me/transactions/${id}/customer`)).body
    expect((await mine.get<Page<Customer>>("/v1/me/customers?limit=1")).body.data).toEqual([customer])
    const live = await mine.request<Page<Customer>>("GET", "/v1/me/customers", {
      headers: { "X-Mode": "live" },
    })
    expect(live.body.data).toEqual([])
  })
})
