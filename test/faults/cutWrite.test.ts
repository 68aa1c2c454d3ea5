import { readdirSync, readFileSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { readRecord, redisFolderOf } from "../../src/start/ownRedis/redisFolder.ts"
import { apiClient } from "../support/apiClient.ts"
import { makeSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"
import { charge } from "./stage.ts"

/** Where the crash cuts a charge's commit, as fractions of it that hit each of its large and small writes. */
const cuts = [0.02, 0.2, 0.45, 0.6, 0.85, 0.93, 0.97, 0.99]

const multi = "*1\r\n$5\r\nMULTI\r\n"
const exec = "*1\r\n$4\r\nEXEC\r\n"

/** Ends the service and its Redis at once, as a power failure does. */
const cutPower = async (service: Service): Promise<void> => {
  const redis = readRecord(redisFolderOf(service.dataDir).processFile)
  await service.kill9()
  if (redis !== undefined) process.kill(redis.pid, "SIGKILL")
}

/** Cuts the append-only file in the last commit that appended an event. */
const cutLastCommit = (service: Service, part: number): void => {
  const folder = join(redisFolderOf(service.dataDir).path, "appendonlydir")
  const name = readdirSync(folder).find((file) => file.endsWith(".incr.aof")) ?? ""
  const text = readFileSync(join(folder, name), "latin1")
  const start = text.lastIndexOf(multi, text.lastIndexOf("XADD"))
  const end = text.indexOf(exec, start) + exec.length
  expect(end - start).toBeGreaterThan(1_000)
  truncateSync(join(folder, name), start + Math.floor((end - start) * part))
}

it("a commit whose write was cut is wholly gone, also after the next crash", {
  timeout: 600_000,
}, async () => {
  const service = await startService({ env: { SIMULATOR_DELAY_MS: "3600000" } })
  onTestFinished(service.stop)
  const seller = await makeSeller(service)
  const client = apiClient(service.url, seller.keys.test)
  onTestFinished(client.close)
  const created = async (key: string) => expect((await charge(client, key)).status).toBe(201)

  await created("whole")
  for (const part of cuts) {
    await created(`cut at ${part}`.replaceAll(" ", "-"))
    await cutPower(service)
    cutLastCommit(service, part)
    await service.restart()
    // In a real crash nobody got an answer, so the client asks again.
    await created(`cut at ${part}`.replaceAll(" ", "-"))
  }
  await cutPower(service)
  await service.restart()
  await created("last")

  const events = (
    await client.all<{ seq: number; data: { object: { id: string } } }>("/v1/events")
  ).toReversed()
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: cuts.length + 2 }, (_, i) => i + 1))
  const charges = (await client.all<{ id: string }>("/v1/transactions")).toReversed()
  expect(charges.map(({ id }) => id)).toEqual(events.map(({ data }) => data.object.id))
})
