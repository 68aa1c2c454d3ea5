import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { sealedPlaces } from "../../actors/values/sealedPlaces.ts"
import type { Customer } from "../../schema/resources/customer.ts"
import type { Event } from "../../schema/resources/event.ts"
import type { Transaction } from "../../schema/resources/transaction.ts"
import { makeCipher } from "../../src/crypto/cipher.ts"
import { plainKey } from "../../src/crypto/encryptionKeys.ts"
import { lookupTermsOf } from "../../src/store/chargeLookup.ts"
import * as keys from "../../src/store/keys.ts"
import {
  chargeBody,
  chargeWhen,
  eventsOf,
  freshKey,
  getCharge,
  makeCharge,
  postCharge,
} from "../e2e/support/charges.ts"
import { eventually, readAll } from "../e2e/support/client.ts"
import { dashboardClient } from "../e2e/support/dashboardClient.ts"
import { detailOf, hasEnded, requestsOn, retry, rowsOf, rowsWhen } from "../e2e/support/deliveries.ts"
import { openStage, receiverSettings, type Seller, type Stage } from "../e2e/support/stage.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { runOps } from "./cli.ts"

const person = {
  name: "Zenóbia Quaresma",
  email: "zenobia.quaresma@example.com",
  document: "390.533.447-05",
  phone: "+5581977776666",
}
const bareDocument = "39053344705"
const erased = { name: "erased", email: "erased@erased.invalid", document: "00000000000", phone: "erased" }

let receiver: TlsReceiver
let stage: Stage
let seller: Seller
let other: Seller
beforeAll(async () => {
  receiver = await startTlsReceiver({
    // A receiver may answer with what it was sent.
    behaviour: ({ body, path }) => ({ kind: "respond", status: path === "/down" ? 500 : 200, body }),
  })
  stage = await openStage({
    SIMULATOR_DELAY_MS: "50",
    RETRY_SCHEDULE_SECONDS: "1,1,1,1,1",
    ...receiverSettings(receiver),
  })
  seller = await stage.newSeller()
  other = await stage.newSeller()
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

const ops = (...args: ReadonlyArray<string>) =>
  runOps(args, {
    REDIS_URL: stage.service.redisUrl,
    ENCRYPTION_KEY: Buffer.from(stage.service.encryptionKey).toString("base64"),
  })
const erase = (...more: ReadonlyArray<string>) =>
  ops("seller", "erase-customer", "--document", person.document, ...more)

const readingOf: Readonly<Record<string, (key: string) => [string, ...Array<string>]>> = {
  string: (key) => ["GET", key],
  hash: (key) => ["HGETALL", key],
  zset: (key) => ["ZRANGE", key, "0", "-1"],
  set: (key) => ["SMEMBERS", key],
  stream: (key) => ["XRANGE", key, "-", "+"],
}

/** Every key that shows the person, in plain or sealed. */
const keysThatShow = async (): Promise<ReadonlyArray<string>> => {
  const { open } = makeCipher(plainKey(stage.service.encryptionKey))
  const found: Array<string> = []
  for (const key of (await stage.redis("KEYS", "*")) as ReadonlyArray<string>) {
    const [command, ...args] = readingOf[String(await stage.redis("TYPE", key))]?.(key) ?? ["GET", key]
    const text = key + JSON.stringify(await stage.redis(command, ...args))
    const sealed = text.match(/enc:v2:[A-Za-z0-9_-]+:[A-Za-z0-9_-]+/g) ?? []
    const places = (text.match(/txn_[0-9A-Z]{26}/g) ?? []).map(sealedPlaces.customerDocument)
    const isShown =
      [person.name, person.email, person.phone, person.document, bareDocument].some((part) =>
        text.includes(part),
      ) || sealed.some((part) => places.some((place) => open(part, place) === bareDocument))
    if (isShown) found.push(key)
  }
  return found
}

const makeTheirs = (client: Seller["test"], changes: Readonly<Record<string, unknown>> = {}, key?: string) =>
  makeCharge(client, { customer: person, ...changes }, key)

describe("ops seller erase-customer", () => {
  it("refuses a text that is no document, without repeating it, and the placeholder", async () => {
    for (const text of ["39053344", "00000000000"]) {
      const { exitCode, document, stdout } = await ops("seller", "erase-customer", "--document", text)
      expect(exitCode).toBe(1)
      expect(document.error).toMatchObject({ code: "validation_failed", param: "document" })
      expect(stdout).not.toContain("39053344")
    }
    const unknown = await erase("--seller", "sel_01KA00000007000000000000AA")
    expect(unknown.document.error.code).toBe("resource_not_found")
  })

  it("nothing in Redis shows an erased customer, and what shows others and the money is as it was", async () => {
    const key = freshKey()
    const body = chargeBody({ customer: person, postback_url: receiver.url })
    const { body: first } = await postCharge<Transaction>(seller.test, body, key)
    const live = await makeTheirs(seller.live, { customer: { ...person, phone: null } })
    const pending = await makeTheirs(seller.test, { amount: 12_901 })
    const note = JSON.stringify({
      text: `${person.name} ligou`,
      author: { id: "u", name: "Ana" },
      created_at: "",
    })
    await stage.redis("HSET", keys.notesKey(first.id), "note_01KA0000000700000000000000", note)
    const elsewhere = await makeTheirs(other.test)
    const bystander = await makeCharge(seller.test, { postback_url: receiver.url })
    for (const { id } of [first, bystander]) await chargeWhen(seller.test, id, "paid")
    await chargeWhen(other.test, elsewhere.id, "paid")
    await eventually("both answers of the receiver", async () => {
      const rows = await rowsOf(seller.test)
      return rows.length === 2 && rows.every(({ status }) => status === "success") ? rows : undefined
    })
    const before = {
      bystander: (await getCharge(seller.test, bystander.id)).text,
      events: await eventsOf(seller.test, bystander.id),
      balance: (await seller.test.get("/v1/balance")).body,
      ledger: await readAll(seller.test, "/v1/ledger", "limit=100"),
      count: (await readAll(seller.test, "/v1/events", "limit=100")).length,
    }
    expect((await keysThatShow()).length).toBeGreaterThan(5)

    const only = await erase("--seller", seller.id)
    expect(only).toMatchObject({ exitCode: 0, stderr: "" })
    // Of the live charge the simulator has told by now, or not yet.
    expect(only.document).toMatchObject({ transactions: 3, delivery_attempts: 1 })
    expect(only.document.events).toBeGreaterThanOrEqual(4)
    expect((await keysThatShow()).every((name) => name.includes(keys.tagOf(other.id)))).toBe(true)
    expect((await erase()).document).toEqual({ transactions: 1, events: 2, delivery_attempts: 0 })
    expect(await keysThatShow()).toEqual([])
    expect((await erase()).document).toEqual({ transactions: 0, events: 0, delivery_attempts: 0 })

    const shown = (await getCharge(seller.test, first.id)).body
    expect(shown).toEqual({ ...shown, amount: 12_990, status: "paid", customer: erased })
    expect((await getCharge(seller.live, live.id)).body.customer).toEqual({ ...erased, phone: null })
    expect((await postCharge<Transaction>(seller.test, body, key)).body.customer).toEqual(erased)
    for (const { data } of await eventsOf(seller.test, first.id)) {
      expect((data.object as Transaction).customer).toEqual(erased)
    }
    const rows = await rowsOf(seller.test)
    const details = await Promise.all(rows.map(({ id }) => detailOf(seller.test, id)))
    const excerpts = details.map(({ body }) => body.response_body_excerpt)
    expect(excerpts.filter((excerpt) => excerpt === null)).toHaveLength(1)
    for (const { text } of details) expect(text).not.toContain(person.name)
    expect(details.filter(({ body }) => body.curl?.includes(erased.email))).toHaveLength(1)
    expect((await getCharge(seller.test, bystander.id)).text).toBe(before.bystander)
    expect(await eventsOf(seller.test, bystander.id)).toEqual(before.events)
    expect((await seller.test.get("/v1/balance")).body).toEqual(before.balance)
    expect(await readAll(seller.test, "/v1/ledger", "limit=100")).toEqual(before.ledger)
    expect(await readAll(seller.test, "/v1/events", "limit=100")).toHaveLength(before.count)
    expect((await ops("audit", "verify")).document).toMatchObject({ ok: true })

    // An erased charge lives on: the actor that knew it before decides on what is stored.
    await seller.test.post(`/v1/test/transactions/${pending.id}/pay`)
    expect((await chargeWhen(seller.test, pending.id, "paid")).customer).toEqual(erased)
    expect(await keysThatShow()).toEqual([])
  })

  it("the log of operators has the act, and no document", async () => {
    const log = JSON.stringify(await stage.redis("XRANGE", keys.operatorLogKey, "-", "+"))
    expect(log).toContain("customer.erased")
    expect(log).toContain(seller.id)
    expect(log).not.toContain(bareDocument)
    expect(log).not.toContain(person.document)
  })

  it("an erased customer is gone, those merged into it stand alone, and who pays again begins anew", async () => {
    const mine = dashboardClient(stage.service.url, await signInAsSeller(stage.service, seller.id), "test")
    const customerOf = async (id: string) =>
      (await mine.get<Customer>(`/v1/me/transactions/${id}/customer`)).body
    const theirs = await makeTheirs(seller.test, { amount: 12_901 })
    const paid = await seller.test.post(`/v1/test/transactions/${theirs.id}/pay`)
    expect(paid.status).toBe(200)
    const others = await makeCharge(seller.test)
    const [gone, other] = [await customerOf(theirs.id), await customerOf(others.id)]
    expect(gone).toMatchObject({ charges: 1, paid_amount: 12_901 })
    const merged = await mine.send("POST", `/v1/me/customers/${other.id}/merge`, { into: gone.id })
    expect(merged.status).toBe(200)

    expect((await erase()).document.transactions).toBe(1)
    const answer = await seller.test.get(`/v1/transactions/${theirs.id}/customer`)
    expect(answer.status).toBe(404)
    expect((await seller.test.get(`/v1/customers/${gone.id}`)).status).toBe(404)
    expect((await seller.test.get(`/v1/customers/${other.id}`)).body).toEqual(other)
    const digest = gone.id.slice(-14)
    for (const key of (await stage.redis("KEYS", "*")) as ReadonlyArray<string>) {
      const [command, ...args] = readingOf[String(await stage.redis("TYPE", key))]?.(key) ?? ["GET", key]
      expect(
        JSON.stringify(await stage.redis(command, ...args)).replaceAll(`"customer.merged"`, ""),
      ).not.toContain(`${digest} `)
    }
    const again = await makeTheirs(seller.test, { amount: 12_901 })
    expect(await customerOf(again.id)).toMatchObject({ id: gone.id, charges: 1, paid_amount: 0 })
    await erase()
    expect((await ops("audit", "verify", "--full")).exitCode).toBe(0)
  })

  it("a run that died after it changed the charge is finished by the next", async () => {
    const theirs = await makeTheirs(seller.test, { amount: 12_901 })
    const hash = keys.transactionKey(theirs.id)
    const stored = JSON.parse(String(await stage.redis("HGET", hash, "document"))) as Transaction
    const feed = { sellerId: seller.id, mode: "test" } as const
    const customer = String(await stage.redis("HGET", hash, "customer"))
    const found = lookupTermsOf(JSON.stringify(stored), customer).map((term) => `${term} ${theirs.id}`)
    await stage.redis("HDEL", hash, "customer")
    await stage.redis("ZREM", keys.lookupKey(feed), ...found)
    await stage.redis("HSET", hash, "document", JSON.stringify({ ...stored, customer: erased }))
    await stage.redis("ZADD", keys.erasingKey(feed), "0", theirs.id)
    expect(await keysThatShow()).not.toEqual([])
    expect((await erase()).document).toEqual({ transactions: 0, events: 1, delivery_attempts: 0 })
    expect(await keysThatShow()).toEqual([])
  })

  it("events that are appended while a long feed is rewritten stay, in their order", async () => {
    const busy = await stage.newSeller()
    const makeMany = async (count: number) => {
      const made: Array<Transaction> = []
      while (made.length < count) {
        made.push(
          ...(await Promise.all(Array.from({ length: 10 }, () => makeCharge(busy.test, { amount: 12_901 })))),
        )
      }
      return made
    }
    await makeTheirs(busy.test, { amount: 12_901 })
    await makeMany(450)
    const [{ document }, more] = await Promise.all([erase(), makeMany(150)])
    expect(document).toEqual({ transactions: 1, events: 1, delivery_attempts: 0 })
    expect(await keysThatShow()).toEqual([])
    const events = await readAll<Event>(busy.test, "/v1/events", "limit=100")
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 601 }, (_, i) => 601 - i))
    const told = new Set(events.map(({ data }) => (data.object as Transaction).id))
    expect(more.every(({ id }) => told.has(id))).toBe(true)
    expect(await stage.redis("KEYS", "events-erased:*")).toEqual([])
    expect((await ops("audit", "verify")).document).toMatchObject({ ok: true })
  })

  it("a delivery that is sent again shows no customer who was erased since", async () => {
    const one = await stage.newSeller()
    const { id } = await makeTheirs(one.test, { postback_url: `${receiver.origin}/down` })
    await chargeWhen(one.test, id, "paid")
    const [dead] = (await rowsWhen(one.test, hasEnded)).toReversed()
    const sent = () => requestsOn(receiver, "/down").map(({ body }) => body)
    expect(sent().at(-1)).toContain(person.name)
    await erase("--seller", one.id)
    const sentBefore = sent().length
    expect((await retry(one.test, dead?.id ?? "")).status).toBe(202)
    await eventually("the retry", async () => sent()[sentBefore])
    expect(sent()[sentBefore]).toContain(erased.email)
    for (const part of [person.name, person.email, bareDocument]) {
      expect(sent()[sentBefore]).not.toContain(part)
    }
  })
})
