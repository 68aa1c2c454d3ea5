import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Event } from "../../schema/resources/event.ts"
import type { Withdrawal } from "../../schema/resources/withdrawal.ts"
import { runOps } from "../ops/cli.ts"
import type { TestRedis } from "../support/redis.ts"
import type { TlsReceiver } from "../support/tlsReceiver.ts"
import type { Browser } from "./support/accountBrowser.ts"
import { beginSignIn, signInWith2fa } from "./support/accountPeople.ts"
import { makeAuthenticator } from "./support/accountTotp.ts"
import { chargeWhen, eventsOf, getCharge, makeCharge, postCharge } from "./support/charges.ts"
import { type Client, makeClient, readAll } from "./support/client.ts"
import { detailOf, requestsOn, verify } from "./support/deliveries.ts"
import { earlierFacts, startEarlierReceiver, startEarlierRedis } from "./support/earlierData.ts"
import { openStream } from "./support/sse.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"
import { withdrawalWhen } from "./support/withdrawals.ts"

const facts = earlierFacts()

let redis: TestRedis
let receiver: TlsReceiver
let stage: Stage
let verifiedBefore: unknown
beforeAll(async () => {
  redis = await startEarlierRedis()
  verifiedBefore = await verifyAll()
  receiver = await startEarlierReceiver(facts)
  stage = await openStage(
    {
      ENCRYPTION_KEY: facts.encryptionKey,
      // Keeps the events, however old the data is.
      EVENT_RETENTION_DAYS: "3650",
      SIMULATOR_DELAY_MS: "50",
      ...receiverSettings(receiver),
    },
    { redisUrl: redis.url },
  )
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
  await redis?.stop()
})

const verifyAll = async (): Promise<unknown> => {
  const environment = { REDIS_URL: redis.url, ENCRYPTION_KEY: facts.encryptionKey }
  return (await runOps(["audit", "verify", "--full"], environment)).document
}
const clientOf = (key: keyof typeof facts.keys): Client => makeClient(stage.service.url, facts.keys[key])

const person = (name: keyof typeof facts.people) => {
  const { totpSecret = "", ...rest } = facts.people[name]
  return { ...rest, authenticator: makeAuthenticator(totpSecret) }
}
const signedIn = new Map<string, Promise<Browser>>()
/** A browser of a person with 2FA; they sign in once for all tests. */
const browserOf = (name: "owner" | "operator"): Promise<Browser> => {
  const browser = signedIn.get(name) ?? signInWith2fa(stage, person(name))
  signedIn.set(name, browser)
  return browser
}

/** A balance as it reads now: nothing was held for refunds then. */
const withRefunds = (balance: unknown) => ({ ...(balance as object), pending_refund: 0 })

interface FormerItem {
  readonly id: string
  /** Of a ledger entry. */
  readonly balance?: object
}
const inWordsOfNow = (item: FormerItem): FormerItem =>
  item.balance === undefined ? item : { ...item, balance: withRefunds(item.balance) }

describe("data that an earlier commit wrote", () => {
  it("earlier data passes ops audit verify before the service starts on it", () => {
    expect(verifiedBefore).toMatchObject({ ok: true, transactions: 6, withdrawals: 3, pix_keys: 2 })
  })

  it.each(["test", "live"] as const)("earlier data is listed unchanged in %s mode", async (mode) => {
    const client = clientOf(mode)
    const former = facts.answers[mode]
    const isFormer = (items: ReadonlyArray<{ readonly id: string }>) => {
      const ids = new Set(items.map(({ id }) => id))
      return ({ id }: { readonly id: string }) => ids.has(id)
    }
    // The pending charge is long overdue, so its expiry comes on top.
    const { pending } = facts.charges
    for (const path of ["/v1/transactions", "/v1/events", "/v1/withdrawals", "/v1/ledger"]) {
      const expected = (former[path] as ReadonlyArray<FormerItem>).map(inWordsOfNow)
      const found = await readAll<{ readonly id: string }>(client, path, "limit=100")
      const others = ({ id }: { readonly id: string }) => id !== pending.id
      expect(found.filter(isFormer(expected)).filter(others), path).toEqual(expected.filter(others))
    }
    const rows = await readAll<{ readonly id: string }>(client, "/v1/webhook-deliveries", "limit=100")
    expect(rows).toEqual(expect.arrayContaining([...former["/v1/webhook-deliveries"]]))
    expect((await client.get("/v1/balance")).body).toEqual(withRefunds(former["/v1/balance"]))
    expect((await client.get("/v1/pix-keys")).body).toEqual(former["/v1/pix-keys"])
  })

  it("the headers of earlier attempts, stored whole, are shown as they were stored", async () => {
    const client = clientOf("test")
    for (const { id } of facts.answers.test["/v1/webhook-deliveries"]) {
      const [key] = (await stage.redis("KEYS", `attempt:*:${id}`)) as ReadonlyArray<string>
      const stored = JSON.parse(String(await stage.redis("HGET", key ?? "", "detail")))
      const { body } = await detailOf(client, id)
      expect(body.request_headers).toMatchObject({ "Content-Type": "application/json", "X-Delivery-Id": id })
      expect(Object.entries(body.request_headers)).toEqual(Object.entries(stored.request_headers))
    }
  })

  it("an earlier charge's request is answered as it was then, under its Idempotency-Key", async () => {
    const { key, body, answer } = facts.charges.paid
    const replayed = await postCharge(clientOf("test"), body, key)
    expect(replayed.status).toBe(201)
    expect(replayed.headers.get("idempotent-replayed")).toBe("true")
    expect(replayed.text).toBe(answer)
  })

  it("the stream replays earlier events from an earlier position", async () => {
    const [first, ...others] = facts.answers.test["/v1/events"].toReversed()
    const stream = await openStream(clientOf("test"), "/events", { "last-event-id": first?.id ?? "" })
    await stream.waitForEvents(others.length)
    const events = stream.events().map(({ data }) => JSON.parse(data) as Event)
    expect(events.slice(0, others.length)).toEqual(others)
    stream.close()
  })

  it("earlier users sign in with their passwords and second factors, and not with a wrong password", async () => {
    const owner = await browserOf("owner")
    expect(await owner.must("GET", "/v1/me/seller")).toEqual(facts.seller)
    for (const mode of ["test", "live"] as const) {
      for (const path of ["/v1/me/api-keys", "/v1/me/webhook-endpoints"]) {
        const { data } = facts.answers[mode][path] as { readonly data: ReadonlyArray<object> }
        // An earlier endpoint is not ordered.
        const later = path.endsWith("endpoints") ? { ordering: "none" } : {}
        const found = await owner.must<{ readonly data: ReadonlyArray<object> }>("GET", path, {
          headers: { "X-Mode": mode },
        })
        expect(
          found.data.map((item) => ({ ...item, last_used_at: null, stats: null })),
          path,
        ).toEqual(data.map((item) => ({ ...item, ...later, last_used_at: null, stats: null })))
      }
    }
    expect((await beginSignIn(stage, person("newcomer"))).needsSecondStep).toBe(false)
    await expect(beginSignIn(stage, { ...person("owner"), password: "correct horse wrong" })).rejects.toThrow(
      "401",
    )
  })

  it("an operator reads the earlier log, and approves a withdrawal that was waiting", async () => {
    const operator = await browserOf("operator")
    const { data } = facts.operatorLog as { readonly data: ReadonlyArray<object> }
    const log = await operator.must<{ readonly data: ReadonlyArray<object> }>(
      "GET",
      "/v1/admin/audit?limit=100",
    )
    expect(log.data).toEqual(expect.arrayContaining([...data]))
    await operator.must<Withdrawal>("POST", `/v1/admin/withdrawals/${facts.awaiting.id}/approve`)
    await withdrawalWhen(clientOf("live"), facts.awaiting.id, "successful")
  })

  it("an earlier API key still works, and a deleted one is refused", async () => {
    expect((await clientOf("second").get("/v1/balance")).status).toBe(200)
    expect((await clientOf("deleted").get("/v1/balance")).status).toBe(401)
  })

  it("deliveries that were owed are made, signed with the earlier secret", async () => {
    const { later } = facts.endpoints
    const paid = facts.answers.test["/v1/events"].filter(({ type }) => type === "transaction.paid")
    await receiver.waitFor(paid.length)
    for (const { id } of paid) {
      const request = requestsOn(receiver, "/later").find(({ headers }) => headers["x-event-id"] === id)
      if (request === undefined) throw new Error(`${id} was not delivered`)
      verify(request, later.secret)
      expect(request.headers["x-attempt"]).toBe("2")
      const event = JSON.parse(request.body) as Event
      expect(event.data).toEqual(paid.find((former) => former.id === id)?.data)
    }
  })

  it("the earlier feed goes on: a pending charge expires, and a new charge has the next seq", async () => {
    const test = clientOf("test")
    expect(await chargeWhen(test, facts.charges.pending.id, "expired")).toMatchObject({ status: "expired" })
    const { id } = await makeCharge(test)
    await chargeWhen(test, id, "paid")
    const all = (await readAll<Event>(test, "/v1/events", "limit=100")).toReversed()
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, i) => i + 1))
    expect((await eventsOf(test, id)).map(({ type }) => type)).toEqual([
      "transaction.created",
      "transaction.paid",
    ])
    expect((await getCharge(test, facts.charges.refunded.id)).body.status).toBe("refunded")
  })

  it("earlier data passes ops audit verify after all these changes", async () => {
    expect(await verifyAll()).toMatchObject({ ok: true, transactions: 7 })
  })
})
