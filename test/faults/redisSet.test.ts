import { Redis } from "ioredis"
import { expect, it } from "vitest"
import { composeService } from "../deploy/composeFile.ts"
import { makeRedisSet, type RedisSet, type SetMember } from "../deploy/redisScripts.ts"
import { apiClient } from "../support/apiClient.ts"
import { makeSeller } from "../support/seller.ts"
import { startService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { charge } from "./stage.ts"

type Set = RedisSet

/** What a command answers on a server or a Sentinel; undefined if it does not answer. */
const ask = async (set: Set, { port }: SetMember, command: string, ...args: ReadonlyArray<string>) => {
  const client = new Redis({
    ...{ host: "localhost", port, password: set.password() },
    ...{ lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0, enableReadyCheck: false },
  })
  client.on("error", () => undefined)
  try {
    return await client.call(command, ...args)
  } catch {
    return undefined
  } finally {
    client.disconnect()
  }
}

const fieldOf = async (set: Set, server: SetMember, section: string, name: string) =>
  new RegExp(`^${name}:(.*)\r$`, "m").exec(String(await ask(set, server, "INFO", section)))?.[1]

/** The server that the Sentinels name. */
const primaryOf = async (set: Set) => {
  const named = await Promise.all(
    set.sentinels.map((sentinel) => ask(set, sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "corrente")),
  )
  const ports = new Set(named.map((address) => Number((address as ReadonlyArray<string> | undefined)?.[1])))
  return ports.size === 1 ? set.servers.find(({ port }) => ports.has(port)) : undefined
}

/** Waits until one server is primary, the two others have its data, and the Sentinels know all of it. */
const untilWhole = (set: Set, what: string) =>
  until(what, async () => {
    const primary = await primaryOf(set)
    if (primary === undefined) return false
    if ((await fieldOf(set, primary, "replication", "connected_slaves")) !== "2") return false
    const ready = await Promise.all(set.servers.map((server) => server.isReady()))
    const known = await Promise.all(
      set.sentinels.map(async (sentinel) => {
        const fields = ((await ask(set, sentinel, "SENTINEL", "MASTER", "corrente")) ?? []) as Array<string>
        return fields[fields.indexOf("num-slaves") + 1]
      }),
    )
    return ready.every(Boolean) && known.every((count) => count === "2")
  })

/** REDIS_URL of the profile ha, with this set's Sentinels in place of its containers'. */
const urlOf = (set: Set) =>
  set.sentinels.reduce(
    (url, { port }, index) => url.replace(`sentinel-${index + 1}:26379`, `localhost:${port}`),
    (composeService("app-ha").environment?.REDIS_URL ?? "").replaceAll(`\${REDIS_PASSWORD}`, set.password()),
  )

/** Starts all members of a new set. The first server waits until it has seen that all others are empty. */
const startNew = async (set: Set) => {
  const [first, ...others] = set.servers as [SetMember, SetMember, SetMember]
  first.start()
  await until("the first server to wait for the others", () => first.log().includes("The volume is empty"))
  for (const member of [...others, ...set.sentinels]) member.start()
  await untilWhole(set, "the set to work for the first time")
  expect(await primaryOf(set)).toBe(first)
  return first
}

it("the servers of the kit keep every charge when the primary dies and comes back at once with an empty volume", {
  timeout: 240_000,
}, async ({ onTestFinished }) => {
  const set = await makeRedisSet()
  onTestFinished(set.stop)
  const first = await startNew(set)

  const service = await startService({
    redisUrl: urlOf(set),
    env: { REDIS_WAIT_REPLICAS: composeService("app-ha").environment?.REDIS_WAIT_REPLICAS ?? "" },
  })
  onTestFinished(({ task }) => service.stop({ task }))
  const seller = await makeSeller(service)
  const client = apiClient(service.url, seller.keys.test)
  onTestFinished(client.close)
  const ready = async () => (await client.get("/ready")).json()
  const checks = { redis: "ok", durability: "ok", replicas: "ok", functions: "ok" }
  await expect.poll(ready).toMatchObject({ checks })
  expect(service.log()).not.toMatch(/\bWARN\b/i)
  const charged = async (name: string) => {
    let answer = await charge(client, name)
    await until(`the charge ${name}`, async () => {
      if (answer.status === 201) return true
      expect(answer.status).toBe(503)
      answer = await charge(client, name)
      return answer.status === 201
    })
    return (answer.json() as { readonly id: string }).id
  }
  const ids = [await charged("before")]

  await first.end("SIGKILL")
  first.emptyVolume()
  first.start()
  ids.push(await charged("during"))
  await untilWhole(set, "the set to work after the failover")
  expect(await primaryOf(set)).not.toBe(first)
  expect(await fieldOf(set, first, "replication", "role")).toBe("slave")

  // A planned end, as an update of the set makes it, of the new primary; then all at once, as when the power fails.
  const next = await primaryOf(set)
  await next?.end("SIGTERM")
  next?.start()
  await untilWhole(set, "the set to work after a planned end")
  ids.push(await charged("after"))
  const members = [...set.servers, ...set.sentinels]
  await Promise.all(members.map((member) => member.end("SIGKILL")))
  for (const member of members) member.start()
  await untilWhole(set, "the set to work after all of it had ended")

  ids.push(await charged("again"))
  expect((await client.all<{ id: string }>("/v1/transactions")).map(({ id }) => id)).toEqual(ids.toReversed())
  await until("/ready", async () => (await client.get("/ready")).status === 200)
})

it("the password of a set changes while it runs, as the guide says", { timeout: 240_000 }, async ({
  onTestFinished,
}) => {
  const set = await makeRedisSet()
  onTestFinished(set.stop)
  const first = await startNew(set)
  const next = "fedcba9876543210"
  for (const server of set.servers) {
    expect(await ask(set, server, "CONFIG", "SET", "masterauth", next)).toBe("OK")
    expect(await ask(set, server, "CONFIG", "SET", "requirepass", next)).toBe("OK")
  }
  for (const sentinel of set.sentinels)
    expect(await ask(set, sentinel, "SENTINEL", "SET", "corrente", "auth-pass", next)).toBe("OK")
  set.setPassword(next)
  for (const sentinel of set.sentinels) {
    await sentinel.end("SIGTERM")
    sentinel.start()
  }
  await untilWhole(set, "the set to work with the new password")
  expect(await primaryOf(set)).toBe(first)

  for (const server of set.servers.toReversed()) {
    await server.end("SIGTERM")
    server.start()
    await untilWhole(set, "a server to be back with the new password")
  }
  set.setPassword("0123456789abcdef")
  expect(await ask(set, first, "PING")).toBeUndefined()
})
