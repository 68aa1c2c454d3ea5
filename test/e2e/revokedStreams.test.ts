import { randomBytes } from "node:crypto"
import { Effect, Layer } from "effect"
import { EventSource } from "eventsource"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { sessionCookieName } from "../../schema/api/security.ts"
import type { NewApiKey } from "../../schema/resources/apiKey.ts"
import { Sessions, SessionsLive } from "../../src/accounts/sessions/sessions.ts"
import { Users, UsersLive } from "../../src/accounts/users/users.ts"
import { ApiKeyStoreLive } from "../../src/store/apiKeys.ts"
import { MemberStoreLive } from "../../src/store/members.ts"
import { RedisClientLive } from "../../src/store/redis/redisClient.ts"
import { type DashboardSession, signInAsSeller } from "../support/dashboard.ts"
import { startTestRedis, type TestRedis } from "../support/redis.ts"
import { until } from "../support/until.ts"
import { makeCharge } from "./support/charges.ts"
import { makeClient } from "./support/client.ts"
import { dashboardClient } from "./support/dashboardClient.ts"
import { openStream, type RawStream, readyStream } from "./support/sse.ts"
import { openStage, type Stage } from "./support/stage.ts"

type Made = typeof NewApiKey.Type

let redis: TestRedis
/** Changes are made through `one`, and streams are followed on `two`. */
let one: Stage
let two: Stage
beforeAll(async () => {
  redis = await startTestRedis()
  const settings = { ENCRYPTION_KEY: randomBytes(32).toString("base64"), SIMULATOR_DELAY_MS: "20" }
  const start = () => openStage(settings, { redisUrl: redis.url })
  ;[one, two] = await Promise.all([start(), start()])
})
afterAll(async () => {
  await Promise.all([one?.close(), two?.close()])
  await redis?.stop()
})

const opened: Array<{ readonly close: () => void }> = []
afterEach(() => {
  for (const stream of opened.splice(0)) stream.close()
})

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` })

/** Follows the test feed in the other process with the `eventsource` package, which reconnects by itself. */
const follow = (headers: Readonly<Record<string, string>>) => {
  const seen = { readies: 0, events: 0, errors: [] as Array<number | undefined> }
  let requests = 0
  const source = new EventSource(`${two.service.url}/events?mode=test`, {
    fetch: (url, init) => {
      requests++
      return fetch(url, { ...init, headers: { ...init.headers, ...headers } })
    },
  })
  opened.push(source)
  source.addEventListener("ready", () => seen.readies++)
  source.addEventListener("transaction.created", () => seen.events++)
  source.addEventListener("error", ({ code }) => seen.errors.push(code))
  return { source, seen, requests: () => requests }
}
const isOpen = ({ seen }: ReturnType<typeof follow>) => seen.readies > 0
const hasStopped = ({ source }: ReturnType<typeof follow>) => source.readyState === EventSource.CLOSED

const raw = async (key: string): Promise<RawStream> => {
  const stream = await readyStream(makeClient(two.service.url, key))
  opened.push(stream)
  return stream
}

const openShop = async () => {
  const seller = await one.newSeller()
  const session = await signInAsSeller(one.service, seller.id)
  const dashboard = dashboardClient(one.service.url, session, "test")
  const create = async () => {
    const { body } = await dashboard.send<Made>("POST", "/v1/me/api-keys", { name: "x", mode: "test" })
    return body
  }
  const remove = async (id: string) => {
    const { status } = await dashboard.send("DELETE", `/v1/me/api-keys/${id}`)
    expect(status).toBe(204)
  }
  return { seller, session, create, remove }
}

/** Another session of the same user. */
const signInAgain = async ({ userId }: DashboardSession): Promise<{ readonly cookie: string }> => {
  const program = Effect.gen(function* () {
    const user = yield* (yield* Users).find(userId)
    if (user === undefined) throw new Error(`no user ${userId}`)
    const origin = { ipAddress: "127.0.0.1", userAgent: "vitest" }
    const options = { rememberMe: false, mfaVerified: true }
    const session = yield* (yield* Sessions).begin(user, origin, options)
    return { cookie: `${sessionCookieName}=${session?.token}` }
  })
  const layer = Layer.mergeAll(UsersLive, SessionsLive).pipe(
    Layer.provide([ApiKeyStoreLive, MemberStoreLive]),
    Layer.provideMerge(RedisClientLive(redis.url)),
  )
  return Effect.runPromise(Effect.scoped(Effect.provide(program, layer)))
}

describe("streams under a deleted API key", () => {
  it("streams under a deleted API key end in another process, their client stops, and others go on", async () => {
    const { seller, session, create, remove } = await openShop()
    const { id, key } = await create()
    const ended = follow(bearer(key))
    const other = follow(bearer(seller.keys.test))
    const ofSession = follow({ Cookie: session.cookie })
    const alike = await raw(key)
    const beside = await raw(seller.keys.test)
    await until("all streams", () => [ended, other, ofSession].every(isOpen))
    await remove(id)
    await alike.waitForEnd()
    await until("the client to stop", () => hasStopped(ended))
    expect(ended.seen).toEqual({ readies: 1, events: 0, errors: [undefined, 401] })
    expect(ended.requests()).toBe(2)
    expect(alike.controls().map(({ event }) => event)).toEqual(["ready"])
    await makeCharge(seller.test)
    await beside.waitForEvents(1)
    await until("the charge on the others", () => other.seen.events + ofSession.seen.events >= 2)
    for (const { seen, requests } of [other, ofSession]) {
      expect([seen.readies, seen.errors, requests()]).toEqual([1, [], 1])
    }
  })

  it("streams under a deleted API key free their places among the seller's ten", async () => {
    const { seller, create, remove } = await openShop()
    const { id, key } = await create()
    const streams: Array<RawStream> = []
    for (let i = 0; i < 10; i++) streams.push(await raw(key))
    const again = async () => {
      const stream = await openStream(makeClient(one.service.url, seller.keys.test), "/events")
      opened.push(stream)
      return stream.status
    }
    expect(await again()).toBe(429)
    await remove(id)
    for (const stream of streams) await stream.waitForEnd()
    for (let i = 0; i < 10; i++) await until(`place ${i}`, async () => (await again()) === 200)
    expect(await again()).toBe(429)
  })
})

describe("streams under a session", () => {
  it("streams of a session end on sign-out, and those of the user's other sessions reconnect", async () => {
    const { seller, session } = await openShop()
    const another = await signInAsSeller(one.service, seller.id)
    const ended = follow({ Cookie: session.cookie })
    const kept = follow({ Cookie: (await signInAgain(session)).cookie })
    const ofAnother = follow({ Cookie: another.cookie })
    const ofKey = follow(bearer(seller.keys.test))
    await until("all streams", () => [ended, kept, ofAnother, ofKey].every(isOpen))
    const signedOut = await dashboardClient(one.service.url, session).send("POST", "/v1/me/auth/sign-out")
    expect(signedOut.status).toBe(200)
    await until("the client to stop", () => hasStopped(ended))
    expect(ended.seen).toEqual({ readies: 1, events: 0, errors: [undefined, 401] })
    await until("the other session's return", () => kept.seen.readies === 2)
    expect(kept.seen.errors).toEqual([undefined])
    await makeCharge(seller.test)
    await until("the charge on the others", () =>
      [kept, ofAnother, ofKey].every(({ seen }) => seen.events === 1),
    )
    for (const { seen } of [ofAnother, ofKey]) expect([seen.readies, seen.errors]).toEqual([1, []])
  })

  it("streams of a session end when it is ended from another session", async () => {
    const { session } = await openShop()
    const elsewhere = await signInAgain(session)
    const ended = follow({ Cookie: elsewhere.cookie })
    await until("the stream", () => isOpen(ended))
    const dashboard = dashboardClient(one.service.url, session)
    const { body } = await dashboard.get<{
      readonly data: ReadonlyArray<{ readonly id: string; readonly current?: boolean }>
    }>("/v1/me/sessions")
    expect(body.data).toHaveLength(2)
    const other = body.data.find(({ current }) => current !== true)
    expect((await dashboard.send("DELETE", `/v1/me/sessions/${other?.id}`)).status).toBe(204)
    await until("the client to stop", () => hasStopped(ended))
    expect(ended.seen.errors).toEqual([undefined, 401])
  })
})
