import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { PspFault } from "../support/psp.ts"
import {
  type ApiPixStage,
  auditVerify,
  duplicate,
  noticeWhen,
  openApiPixStage,
  received,
  soundBooks,
} from "./support/apiPix.ts"
import {
  approve,
  bucketsOf,
  expectPaidOnce,
  expectReturnedOnce,
  held,
  lookUpOf,
  payoutOf,
  type Requested,
  request,
  sendingsOf,
} from "./support/apiPixPayouts.ts"
import { eventually } from "./support/client.ts"
import { getWithdrawal, withdrawalWhen } from "./support/withdrawals.ts"

const problem = { nome: "chave_invalida", mensagem: "Chave inválida" }
const notFound = { nome: "envio_nao_encontrado", mensagem: "Nenhum envio encontrado" }
const cut = { kind: "cut" } as const

interface Mishap {
  readonly sendings: ReadonlyArray<PspFault>
  /** The fault of the first `times` look-ups; without `times`, of all in the first minute. */
  readonly lookUps?: { readonly fault: PspFault; readonly times?: number }
  /** Whether the list of sent payouts lacks it, too. */
  readonly isUnlisted?: boolean
  /** The result that the PSP gives the payout as soon as it has it. */
  readonly result?: readonly [status: "REALIZADO" | "NAO_REALIZADO", code?: string]
}

/**
 * What goes wrong, request by request. Look-ups come after 2, 6, 14, 30 and 62 s; a payout that the PSP does not know
 * is sent again a minute after its last sending, so at the fifth.
 */
const ways: Readonly<Record<string, Mishap>> = {
  lost: { sendings: [{ kind: "lost" }], result: ["REALIZADO"] },
  lostAndUnpaid: { sendings: [{ kind: "lost" }], result: ["NAO_REALIZADO", "AC03"] },
  slow: { sendings: [{ kind: "slow", millis: 4_000 }], result: ["REALIZADO"] },
  silent: { sendings: [{ kind: "silent" }], result: ["REALIZADO"] },
  unreadable: {
    sendings: [{ kind: "changed", change: () => ({ status: "nothing we know" }) }],
    result: ["REALIZADO"],
  },
  late: { sendings: [{ kind: "late", millis: 12_000 }] },
  notFound: {
    sendings: [{ kind: "lost" }],
    lookUps: { fault: { kind: "answer", status: 404, body: notFound }, times: 6 },
    isUnlisted: true,
  },
  listed: {
    sendings: [{ kind: "lost" }],
    lookUps: { fault: { kind: "answer", status: 404, body: notFound } },
  },
  proxied: {
    sendings: [cut],
    lookUps: { fault: { kind: "answer", status: 404, body: { title: "Not Found" } } },
  },
  unavailable: { sendings: [{ kind: "answer", status: 503 }] },
  limited: { sendings: [{ kind: "answer", status: 429, headers: { "retry-after": "1" } }] },
  cut: { sendings: [cut] },
  forbidden: { sendings: [cut], lookUps: { fault: { kind: "answer", status: 403 } } },
  refusedAgain: { sendings: [cut, { kind: "answer", status: 400, body: problem }] },
}

const lookUpsInAMinute = 5
const resendTimeoutMillis = 90_000
const testTimeoutMillis = resendTimeoutMillis + 30_000

let stage: ApiPixStage
/** A payout for each case, each of its own seller; all begin first, because some take a minute. */
const begun = new Map<string, Requested>()
/** When every resend must have come, on the clock of `performance.now()`. */
let resendsEnd: number
beforeAll(async () => {
  stage = await openApiPixStage()
  const begin = async (way: string, { sendings, lookUps, isUnlisted = false, result }: Mishap) => {
    const requested = await request(stage)
    for (const fault of sendings) stage.psp.fail(`PUT /v3/gn/pix/${requested.payoutId}`, fault)
    if (lookUps !== undefined) {
      stage.psp.fail(lookUpOf(requested), lookUps.fault, lookUps.times ?? lookUpsInAMinute)
    }
    await approve(stage, requested)
    begun.set(way, requested)
    if (isUnlisted) stage.psp.lists.lagging.add((await taken(requested)).endToEndId)
    if (result === undefined) return
    await taken(requested)
    stage.psp.payoutResult(requested.payoutId, ...result)
  }
  await Promise.all(Object.entries(ways).map(([way, mishap]) => begin(way, mishap)))
  resendsEnd = performance.now() + resendTimeoutMillis
})
afterAll(() => stage?.close())

const inWay = (way: string): Requested => {
  const requested = begun.get(way)
  if (requested === undefined) throw new Error(`${way} was not begun`)
  return requested
}

/** Waits until the PSP has the payout in its books. */
const taken = ({ payoutId }: Requested) =>
  eventually(`the PSP to take ${payoutId}`, () => stage.psp.payout(payoutId))

const sentAgain = (requested: Requested) =>
  eventually(
    `${requested.payoutId} to be sent again`,
    () => (sendingsOf(stage, requested).length > 1 ? true : undefined),
    resendsEnd - performance.now(),
  )

/** Waits until the look-up after which every payout is sent again that may be, and until those are. */
const afterResends = async (requested: Requested) => {
  await eventually(
    "the fifth look-up",
    () => (stage.psp.requestsOf(lookUpOf(requested)).length >= lookUpsInAMinute ? true : undefined),
    resendsEnd - performance.now(),
  )
  await Promise.all(["notFound", "unavailable", "limited", "cut"].map(inWay).map(sentAgain))
}

/** Waits until a payout that the PSP has made is successful, and expects it paid once. */
const arrived = async (requested: Requested) => {
  await withdrawalWhen(requested.live, requested.withdrawal.id, "successful")
  await expectPaidOnce(stage, requested)
}

/** Pays at the PSP and sends its notice, because the next look-up is a minute away. */
const payAndTell = async (requested: Requested) => {
  stage.psp.payoutResult(requested.payoutId, "REALIZADO")
  await stage.tell({ idEnvio: requested.payoutId })
  await arrived(requested)
}

/** Expects `times` sendings of a payout, all alike and under the same id. */
const expectSendings = (requested: Requested, times: number) => {
  const sendings = sendingsOf(stage, requested)
  const { path, body } = sendings[0] ?? {}
  expect(sendings.map((sending) => [sending.path, sending.body])).toEqual(Array(times).fill([path, body]))
}

describe("a payout that the PSP has taken", () => {
  it.each([
    { way: "lost", name: "the PSP's answer is lost" },
    { way: "slow", name: "the PSP is slow to answer" },
    { way: "silent", name: "the PSP never answers" },
    { way: "unreadable", name: "the PSP's answer makes no sense" },
  ])("a payout is sent once and paid once when $name", async ({ way }) => {
    const requested = inWay(way)
    await arrived(requested)
    expectSendings(requested, 1)
  })

  it("a payout whose answer is lost and that then fails returns its money once", async () => {
    const requested = inWay("lostAndUnpaid")
    await withdrawalWhen(requested.live, requested.withdrawal.id, "failed")
    await expectReturnedOnce(requested, "failed", "AC03")
    expectSendings(requested, 1)
  })

  it("a payout that the PSP registers long after the call ended is sent once and paid once", async () => {
    const requested = inWay("late")
    await taken(requested)
    expect(stage.psp.requestsOf(lookUpOf(requested)).length).toBeGreaterThan(1)
    expect(await bucketsOf(requested.live)).toEqual(held)
    stage.psp.payoutResult(requested.payoutId, "REALIZADO")
    await arrived(requested)
    expectSendings(requested, 1)
  })

  it("a payout that the PSP cannot find for so long that it is sent again is paid once", {
    timeout: testTimeoutMillis,
  }, async () => {
    const requested = inWay("notFound")
    await sentAgain(requested)
    const { live, withdrawal, payoutId } = requested
    stage.psp.payoutResult(payoutId, "REALIZADO")
    // Even now the PSP does not find the payout that its notice names.
    expect(await stage.tell({ idEnvio: payoutId })).toBe(received)
    const isTried = ({ attempts }: { readonly attempts: number }) => attempts > 0
    await noticeWhen(stage, `${payoutOf(stage, requested).endToEndId}:sent:REALIZADO`, isTried)
    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("processing")
    expect(await stage.tell({ idEnvio: payoutId })).toBe(duplicate)
    await arrived(requested)
    expectSendings(requested, 2)
  })

  it("a payout that the PSP cannot find, and that its list has, is not sent again", {
    timeout: testTimeoutMillis,
  }, async () => {
    const requested = inWay("listed")
    await afterResends(requested)
    expect(await bucketsOf(requested.live)).toEqual(held)
    expectSendings(requested, 1)
    await payAndTell(requested)
    expectSendings(requested, 1)
  })
})

describe("a payout that the PSP has not taken", { timeout: testTimeoutMillis }, () => {
  it.each([
    { way: "unavailable", name: "was unavailable (503)" },
    { way: "limited", name: "limited requests (429)" },
    { way: "cut", name: "cut the connection" },
  ])("a payout is sent again under the same id and paid once when the PSP $name", async ({ way }) => {
    const requested = inWay(way)
    await sentAgain(requested)
    expect(stage.psp.payouts.get(requested.payoutId)).toBe(1)
    const { status } = await getWithdrawal(requested.live, requested.withdrawal.id)
    expect([status, await bucketsOf(requested.live)]).toEqual(["processing", held])
    await payAndTell(requested)
    expectSendings(requested, 2)
  })

  it.each([
    { way: "forbidden", name: "its look-up is answered 403" },
    { way: "proxied", name: "its look-up is answered with a 404 that is not the PSP's own" },
  ])("a payout is not sent again when $name", async ({ way }) => {
    const requested = inWay(way)
    await afterResends(requested)
    expect(await bucketsOf(requested.live)).toEqual(held)
    expectSendings(requested, 1)
  })

  it("a payout's money stays held when the PSP refuses the second sending: the first may be paid", async () => {
    const requested = inWay("refusedAgain")
    await sentAgain(requested)
    // The service looks the payout up after the refusal, so by then it has the refusal.
    await eventually("the look-up after the refusal", () =>
      stage.psp.requestsOf(lookUpOf(requested)).length > lookUpsInAMinute + 1 ? true : undefined,
    )
    const { status } = await getWithdrawal(requested.live, requested.withdrawal.id)
    expect([status, await bucketsOf(requested.live)]).toEqual(["processing", held])
    expectSendings(requested, 2)
  })
})

describe("the payouts after these tests", () => {
  it("payouts that were sent once are never sent again, and settled ones do not change", async () => {
    for (const way of ["lost", "slow", "silent", "unreadable", "late"]) {
      await expectPaidOnce(stage, inWay(way))
      expectSendings(inWay(way), 1)
    }
    await expectReturnedOnce(inWay("lostAndUnpaid"), "failed", "AC03")
    for (const way of ["lostAndUnpaid", "forbidden", "proxied"]) expectSendings(inWay(way), 1)
  })

  it("no payout is made twice, and the audit finds every book in balance", async () => {
    expect([...stage.psp.payouts.values()].every((times) => times === 1)).toBe(true)
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
