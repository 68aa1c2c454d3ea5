import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { claimsTag, partitionTag } from "../../src/store/tags.ts"
import { runOps } from "../ops/cli.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { followEvents } from "../support/eventFollower.ts"
import { startTestCluster, type TestCluster } from "../support/redisCluster.ts"
import type { RedisNode } from "../support/redisNode.ts"
import { until } from "../support/until.ts"
import { type ApiPixStage, openApiPixStage, payCharge, received } from "./support/apiPix.ts"
import {
  approve,
  expectPaidOnce,
  openPayee,
  type Payee,
  request,
  send,
  sendingsOf,
} from "./support/apiPixPayouts.ts"
import { chargeWhen, makeCharge } from "./support/charges.ts"
import type { Seller } from "./support/stage.ts"
import { freezeReason, untilFrozenBy } from "./support/sweeps.ts"
import { getWithdrawal, withdrawalWhen } from "./support/withdrawals.ts"

const sweepKey = "sweep:{sweeps}:"

let cluster: TestCluster
let stage: ApiPixStage
let backups: string
beforeAll(async () => {
  backups = mkdtempSync(join(tmpdir(), "corrente-backups-"))
  cluster = await startTestCluster()
  stage = await openApiPixStage({}, { redisUrl: cluster.url })
})
afterAll(async () => {
  await stage?.close()
  await cluster?.stop()
  rmSync(backups, { recursive: true, force: true })
})

const ops = async (...words: ReadonlyArray<string>) => {
  const env = { DATA_DIR: stage.service.dataDir, REDIS_URL: cluster.url }
  const { exitCode, stdout, document } = await runOps(words, env)
  if (exitCode !== 0) throw new Error(`ops ${words.join(" ")} failed: ${stdout}`)
  return document
}

const nodeOf = ({ partition }: { readonly partition: number }) => cluster.primaryOf(partitionTag(partition))

/** What `open` makes, made again until its partition lies on the node, or on another. */
const openAt = async <A>(
  open: () => Promise<A>,
  sellerOf: (made: A) => Seller,
  isWanted: (node: RedisNode) => boolean,
): Promise<A> => {
  for (;;) {
    const made = await open()
    if (isWanted(await nodeOf(sellerOf(made)))) return made
  }
}

const pay = async (txid: string) => {
  const endToEndId = stage.psp.pay(txid)
  expect(await stage.tell({ endToEndId })).toBe(received)
  return endToEndId
}

/** A charge paid now whose claim lies on a node, and the Pix that paid it. */
const paidWithClaimOn = async (seller: Seller, node: RedisNode) => {
  for (;;) {
    const { charge, endToEndId } = await payCharge(stage, seller.live)
    if ((await cluster.primaryOf(claimsTag(endToEndId))) === node) return { charge, endToEndId }
  }
}

/** A backup of which one node's snapshot is from `early` and the others are from `late`. */
const mixed = (early: string, late: string, node: RedisNode, dir: string): void => {
  cpSync(late, dir, { recursive: true })
  const [first, second] = [early, late].map((one) =>
    JSON.parse(readFileSync(join(one, "manifest.json"), "utf8")),
  )
  const nodes = second.nodes.map((one: { readonly server: string; readonly file: string }) => {
    if (one.server !== node.address) return one
    const earlier = first.nodes.find(({ server }: { readonly server: string }) => server === node.address)
    copyFileSync(join(early, earlier.file), join(dir, one.file))
    return { ...earlier, file: one.file }
  })
  writeFileSync(join(dir, "manifest.json"), JSON.stringify({ ...second, nodes, feeds: null }))
}

const openAnyPayee = (isWanted: (node: RedisNode) => boolean) =>
  openAt(
    () => openPayee(stage),
    ({ seller }: Payee) => seller,
    isWanted,
  )

/** The beginning of the requests for the PSP's list of payouts. */
const listOfPayouts = "GET /v2/gn/pix/enviados?"

describe("a cluster restored from snapshots of different moments", () => {
  it("pays nothing twice, has sound books, and tells followers of the gap", async ({ onTestFinished }) => {
    await untilFrozenBy(stage, null)
    const lateNode = await cluster.primaryOf(sweepKey)
    const payee = await openAnyPayee((node) => node !== lateNode)
    const earlyNode = await nodeOf(payee.seller)
    const newSeller = (isWanted: (node: RedisNode) => boolean) =>
      openAt(
        () => stage.newSeller(),
        (seller) => seller,
        isWanted,
      )
    const earlySeller = await newSeller((node) => node === earlyNode)
    const lateSeller = await newSeller((node) => node !== earlyNode)
    const requested = await request(stage, payee)
    const { live, withdrawal, payoutId } = requested
    const unpaid = await makeCharge(earlySeller.live)
    await ops("backup", join(backups, "early"))

    const follower = followEvents(stage.service.url, payee.seller.keys.live)
    onTestFinished(follower.stop)
    await until("the stream to open", follower.isReady)
    await approve(stage, requested)
    await stage.psp.waitFor(`PUT /v3/gn/pix/${payoutId}`, 1)
    stage.psp.payoutResult(payoutId, "REALIZADO")
    expect(await stage.tell({ idEnvio: payoutId })).toBe(received)
    await withdrawalWhen(live, withdrawal.id, "successful")
    await until("the follower to be told", () => follower.events.at(-1)?.type === "withdrawal.successful")
    const lastSeen = follower.events.at(-1)?.id ?? ""
    const paidBy = await pay(unpaid.pix.txid)
    await chargeWhen(earlySeller.live, unpaid.id, "paid")
    // Its claim is older than the charge; of the other the claim is newer than the charge, which is not in the backup at all.
    const withoutClaim = await paidWithClaimOn(lateSeller, earlyNode)
    const lost = await paidWithClaimOn(earlySeller, lateNode)
    const lostSeller = await newSeller((node) => node === earlyNode)
    for (;;) {
      const { userId } = await signInAsSeller(stage.service, lostSeller.id)
      const slot = Number.parseInt(userId.slice(-3), 16) % 1_024
      if ((await cluster.primaryOf(`{u${slot}}`)) !== earlyNode) break
    }
    // As if hours lay between the snapshots: the books count as compared beyond everything that the early one lacks.
    const [account] = (await lateNode.call("SMEMBERS", "sweep-accounts:{sweeps}")) as ReadonlyArray<string>
    await lateNode.call("HSET", `${sweepKey}${account}`, "completed_to", Date.now() + 3 * 3_600_000)
    await ops("backup", join(backups, "late"))

    const dir = join(backups, "mixed")
    mixed(join(backups, "early"), join(backups, "late"), earlyNode, dir)
    await stage.service.terminate()
    for (const node of cluster.nodes) await node.call("FLUSHALL")
    const { seams } = await ops("restore", dir)
    expect(seams).toMatchObject({ accounts_swept_again: 1, days_reopened: 0 })
    expect(seams.pix_claims_added).toBeGreaterThan(0)
    expect(seams.pix_claims_removed).toBeGreaterThan(0)
    expect(seams.users_without_seller_count).toBeGreaterThan(0)
    expect((await ops("audit", "verify", "--full")).ok).toBe(true)

    stage.psp.fail(listOfPayouts, { kind: "answer", status: 503 }, 10_000)
    await stage.service.restart()
    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("awaiting")
    await approve(stage, requested)
    expect(await freezeReason(stage)).toBe("the acquirer's books are being compared with ours first")
    await until("the worker to wait", () => stage.service.log().includes("payouts and refunds wait"))
    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("approved")
    expect(sendingsOf(stage, requested)).toHaveLength(1)

    stage.psp.heal()
    await untilFrozenBy(stage, null)
    await withdrawalWhen(live, withdrawal.id, "successful")
    await expectPaidOnce(stage, requested)
    expect(sendingsOf(stage, requested)).toHaveLength(1)
    expect(await chargeWhen(earlySeller.live, unpaid.id, "paid")).toMatchObject({ end_to_end_id: paidBy })
    expect(await chargeWhen(lateSeller.live, withoutClaim.charge.id, "paid")).toMatchObject({
      end_to_end_id: withoutClaim.endToEndId,
    })

    // The charge is gone, so its Pix may be credited to somebody.
    const claims = `pix-claims:${claimsTag(lost.endToEndId)}:${account}`
    expect(await (await cluster.primaryOf(claims)).call("HGET", claims, lost.endToEndId)).not.toBe(
      lost.charge.id,
    )

    follower.stop()
    const url = `/events?last_event_id=${lastSeen}`
    const resumed = followEvents(stage.service.url, payee.seller.keys.live, { path: url })
    onTestFinished(resumed.stop)
    await until("the gap", () => resumed.controls.some(({ event }) => event === "replay_gap"))
    expect(
      JSON.parse(resumed.controls.find(({ event }) => event === "replay_gap")?.data ?? ""),
    ).toMatchObject({
      requested: lastSeen,
    })
    expect((await ops("audit", "verify", "--full")).ok).toBe(true)
    // Others are paid again.
    await send(stage, payee)
  })
})
