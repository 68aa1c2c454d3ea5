import { describe, expect, it } from "vitest"
import { limits } from "../../schema/limits.ts"
import { apiClient } from "../support/apiClient.ts"
import { makeSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"
import { sizes } from "../support/sizes.ts"
import { pause, until } from "../support/until.ts"
import { charge, finishAndAudit, startStage } from "./stage.ts"

/**
 * How long each process lives after it listens, in turn: killed at once, killed under full load, and alive for long
 * enough to take over the timers and deliveries of the one before, whose partition leases last 4 s.
 */
const livesMillis = [0, 900, 5_000, 250, 1_300, 100]
/** After so many kills the next process is killed while it starts too, this long after its launch. */
const startKillEvery = 5
const startKillsMillis = [150, 350, 500, 250]

const killWhileStarting = async (service: Service, afterMillis = 0) => {
  const ended = service.restart().catch(() => {})
  await pause(afterMillis)
  await service.kill9()
  await ended
}

describe.concurrent("kill -9 of the process", { timeout: 900_000 }, () => {
  it("kill -9 of the process under load loses and doubles no charge, event, frame or delivery", async ({
    onTestFinished,
  }) => {
    // The service's own Redis survives each process, and the next one takes it over.
    const stage = await startStage(onTestFinished, {
      name: "process",
      chargesPerSecond: sizes.chargesPerSecond,
    })
    const { service, load } = stage
    for (let kills = 0; kills < sizes.processKills; ) {
      await pause(livesMillis[kills % livesMillis.length] ?? 0)
      await service.kill9()
      kills += 1
      if (kills % startKillEvery === 0 && kills < sizes.processKills) {
        await killWhileStarting(service, startKillsMillis[(kills / startKillEvery) % startKillsMillis.length])
        kills += 1
      }
      await service.restart()
    }
    expect(load.connectionsLost()).toBeGreaterThan(0)
    await finishAndAudit(stage)
  })

  it("kill -9 during a call to the acquirer leaves no Idempotency-Key stuck: the request is taken over", async ({
    onTestFinished,
  }) => {
    const service = await startService({
      env: {
        SIMULATOR_CHARGE_LATENCY_MS: "50",
        SIMULATOR_DELAY_MS: "50",
        // The process dies while it asks for its second charge. The next one is asked for one, and lives.
        FAULT_POINT: "after:acquirer.createCharge#2",
      },
    })
    onTestFinished(service.stop)
    const seller = await makeSeller(service)
    const client = apiClient(service.url, seller.keys.test)
    onTestFinished(client.close)
    const types = async () =>
      (await client.all<{ type: string }>("/v1/events")).map(({ type }) => type).toReversed()

    expect((await charge(client, "first")).status).toBe(201)
    await until("the first charge to be paid", async () => (await types()).length === 2)
    const askedAt = performance.now()
    await expect(charge(client, "taken-over")).rejects.toThrow()
    expect(await service.ended()).toEqual({ code: null, signal: "SIGKILL" })
    await service.restart()

    const early = await charge(client, "taken-over")
    // A busy machine may take longer for the start than the lease lasts.
    if (performance.now() - askedAt < limits.idempotencyLeaseMillis) {
      expect(early.status).toBe(409)
      expect(early.headers["retry-after"]).toBe("1")
      expect(early.json()).toMatchObject({ error: { code: "idempotency_in_progress" } })
    }
    const insist = async () => (await charge(client, "taken-over")).status === 201
    await until("the key's lease to end", insist)
    await until("the charge to be paid", async () => (await types()).length === 4)
    const ofCharge = ["transaction.created", "transaction.paid"]
    expect(await types()).toEqual([...ofCharge, ...ofCharge])
    expect(await client.all("/v1/transactions")).toHaveLength(2)
  })
})
