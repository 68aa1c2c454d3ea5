import { randomBytes } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runOps } from "../ops/cli.ts"
import { followEvents } from "../support/eventFollower.ts"
import { makePixKey } from "../support/pixKey.ts"
import { startTestCluster, type TestCluster } from "../support/redisCluster.ts"
import { makeSeller } from "../support/seller.ts"
import { type Service, startService } from "../support/service.ts"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { until } from "../support/until.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import { makeClient } from "./support/client.ts"
import { clientsOf, receiverSettings } from "./support/stage.ts"
import { balanceOf, fund, withdraw, withdrawalWhen } from "./support/withdrawals.ts"

let cluster: TestCluster
let receiver: TlsReceiver
let service: Service
beforeAll(async () => {
  cluster = await startTestCluster()
  receiver = await startTlsReceiver()
  service = await startService({
    redisUrl: cluster.url,
    env: { SIMULATOR_DELAY_MS: "50", LOG_LEVEL: "warn", ...receiverSettings(receiver) },
  })
})
afterAll(async () => {
  await service?.stop()
  await receiver?.close()
  await cluster?.stop()
})

const ops = (...args: ReadonlyArray<string>) =>
  runOps(args, { REDIS_URL: cluster.url, DATA_DIR: service.dataDir })

/** One seller on each primary, whose partitions have slots there. */
const partitionsOfPrimaries = async (): Promise<ReadonlyArray<number>> => {
  const found = new Map<number, number>()
  for (let partition = 0; found.size < 3; partition += 1) {
    const { port } = await cluster.primaryOf(`{p${String(partition).padStart(2, "0")}}`)
    if (!found.has(port)) found.set(port, partition)
  }
  return [...found.values()]
}

describe("the service on a Redis Cluster", () => {
  it("the service is ready on a Redis Cluster, and logs no warning of lost writes", async () => {
    const answer = await fetch(`${service.url}/ready`)
    expect(await answer.json()).toMatchObject({
      status: "ok",
      checks: { redis: "ok", durability: "ok", functions: "ok" },
    })
    expect(service.log()).not.toMatch(/Redis may lose/)
  })

  it("the service charges, streams, delivers and pays out for sellers on every primary of a Redis Cluster", async () => {
    const partitions = await partitionsOfPrimaries()
    await Promise.all(
      partitions.map(async (partition) => {
        const seller = await makeSeller(service, {
          partition,
          endpoints: [{ url: receiver.url, events: ["transaction.paid"] }],
        })
        const client = clientsOf(service.url, seller).test
        const follower = followEvents(service.url, seller.keys.test)
        await until("the stream to open", follower.isReady)
        const { id } = await makeCharge(client, { amount: 20_000 })
        await chargeWhen(client, id, "paid")
        await until("the payment in the stream", () =>
          follower.events.some(({ type, resourceId }) => type === "transaction.paid" && resourceId === id),
        )
        await until("the payment's delivery", () => receiver.requests.some(({ body }) => body.includes(id)))
        await follower.stop()
        const pixKey = await makePixKey({ service }, seller, "test")
        const { id: withdrawalId } = await withdraw(client, pixKey, 10_000)
        await withdrawalWhen(client, withdrawalId, "successful")
        expect((await balanceOf(client)).available).toBe(20_000 - 10_000 - 100)
      }),
    )
  })

  it("a seller cannot use a PIX key of a seller on another primary, nor retry a delivery id from there", async () => {
    const [mine = 0, theirs = 0] = await partitionsOfPrimaries()
    const seller = await makeSeller(service, { partition: mine })
    const other = await makeSeller(service, { partition: theirs })
    const client = clientsOf(service.url, seller).test
    await fund(client, 20_000)
    const foreignKey = await makePixKey({ service }, other, "test")
    await expect(withdraw(client, foreignKey, 10_000)).rejects.toThrow("pix_key_not_verified")
    const foreignDelivery = other.id.replace("sel_", "whd_")
    const retry = await client.post(`/v1/webhook-deliveries/${foreignDelivery}/retry`)
    expect(retry.status).toBe(404)
  })

  it("operator commands work on a Redis Cluster", async () => {
    const { document: made } = await ops(
      ...["seller", "create", "--email", "ana@example.com", "--password", "correct horse battery"],
      ...["--name", "Loja da Ana"],
    )
    expect(made).toMatchObject({ seller_id: expect.stringMatching(/^sel_/) })
    await fund(makeClient(service.url, made.api_keys.test), 12_990)
    const { document: shown } = await ops("seller", "show", made.seller_id)
    expect(shown.seller.id).toBe(made.seller_id)
    const { document: streams } = await ops("streams", made.seller_id)
    const { command } = streams.data.find(({ family }: { family: string }) => family === "seller")
    expect(command).toMatch(/^redis-cli -c -u redis:\/\/127\.0\.0\.1:\d+ HGETALL /)
    const audited = await ops("audit", "verify", "--full")
    expect(audited.document).not.toHaveProperty("error")
    expect(audited.exitCode).toBe(0)
  })

  it("a seller signs up by an invite and signs in on a Redis Cluster", async () => {
    const { document: invite } = await ops("invite", "create", "--email", "bia@example.com")
    const client = makeClient(service.url, "none")
    const password = "correct horse battery"
    const signedUp = await client.post("/v1/me/auth/sign-up/email", {
      body: {
        ...{ name: "Bia", email: "bia@example.com", password, accept_terms: true },
        invite_token: invite.token,
      },
    })
    expect(signedUp.status, signedUp.text).toBe(200)
    const signedIn = await client.post("/v1/me/auth/sign-in/email", {
      body: { email: "bia@example.com", password },
    })
    expect(signedIn.status, signedIn.text).toBe(200)
  })

  it("a rotation of the encryption key reaches all primaries of a Redis Cluster", async () => {
    const key = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")
    const ENCRYPTION_KEY = `new:${key(randomBytes(32))},${key(service.encryptionKey)}`
    await service.terminate()
    const environment = { REDIS_URL: cluster.url, ENCRYPTION_KEY }
    const before = await runOps(["keys", "show"], environment)
    const { records, by_kind, events } = before.document.keys[1]
    expect(by_kind).toMatchObject({
      customer_documents: expect.any(Number),
      totp_secrets: expect.any(Number),
    })
    expect(events).toBeGreaterThan(0)
    const { document } = await runOps(["keys", "rotate"], environment)
    expect(document).toMatchObject({ rewritten: records, unreadable: 0 })
    expect(document.keys[1]).toMatchObject({ id: "0", records: 0, events })
  })
})
