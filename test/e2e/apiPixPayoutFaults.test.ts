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
  /** What becomes of the first `times` look-ups, all of a minute's where nothing is said. */
  readonly lookUps?: { readonly fault: PspFault; readonly times?: number }
  /** What the PSP makes of it as soon as it has it. */
  readonly result?: readonly [status: "REALIZADO" | "NAO_REALIZADO", code?: string]
}

/**
 * What goes wrong, request after request. Look-ups come after 2, 6, 14, 30 and 62 s; a payout that the PSP does not know
 * is sent again a minute after its last sending, so at the fifth.
 */
const ways: Readonly<Record<string, Mishap>> = {
  lost: { sendings: [{ kind: "lost" }], result: ["REALIZADO"] },
  lostAndUnpaid: { sendings: [{ kind: "lost" }], result: ["NAO_REALIZADO", "AC03"] },
  slow: { sendings: [{ kind: "slow", millis: 4_000 }], result: ["REALIZADO"] },
  silent: { sendings: [{ kind: "silent" }], result: ["REALIZADO"] },
  senseless: {
    sendings: [{ kind: "changed", change: () => ({ status: "nothing we know" }) }],
    result: ["REALIZADO"],
  },
  late: { sendings: [{ kind: "late", millis: 12_000 }] },
  notFound: {
    sendings: [{ kind: "lost" }],
    lookUps: { fault: { kind: "answer", status: 404, body: notFound }, times: 6 },
  },
  proxied: {
    sendings: [cut],
    lookUps: { fault: { kind: "answer", status: 404, body: { title: "Not Found" } } },
  },
  unavailable: { sendings: [{ kind: "answer", status: 503 }] },
  limited: { sendings: [{ kind: "answer", status: 429, headers: { "retry-after": "1" } }] },
  cut: { sendings: [cut] },
  notTold: { sendings: [cut], lookUps: { fault: { kind: "answer", status: 403 } } },
  refusedAgain: { sendings: [cut, { kind: "answer", status: 400, body: problem }] },
}

const lookUpsInAMinute = 5
const resendTimeoutMillis = 90_000
const testTimeoutMillis = resendTimeoutMillis + 30_000

let stage: ApiPixStage
/** Each of a seller of its own; all are begun first, as some take a minute. */
const begun = new Map<string, Requested>()
/** By when all must have been sent again that are, by `performance.now()`. */
let resendsEnd: number
beforeAll(async () => {
  stage = await openApiPixStage()
  const begin = async (way: string, { sendings, lookUps, result }: Mishap) => {
    const requested = await request(stage)
    for (const fault of sendings) stage.psp.fail(`PUT /v2/gn/pix/${requested.payoutId}`, fault)
    if (lookUps !== undefined) {
      stage.psp.fail(lookUpOf(requested), lookUps.fault, lookUps.times ?? lookUpsInAMinute)
    }
    await approve(stage, requested)
    begun.set(way, requested)
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

/** Waits until a payout that the PSP has made has arrived. */
const arrived = async (requested: Requested) => {
  await withdrawalWhen(requested.live, requested.withdrawal.id, "successful")
  await expectPaidOnce(stage, requested)
}

/** The PSP pays, and tells: it would not be asked for another minute. */
const payAndTell = async (requested: Requested) => {
  stage.psp.payoutResult(requested.payoutId, "REALIZADO")
  await stage.tell({ idEnvio: requested.payoutId })
  await arrived(requested)
}

/** Everything that was sent for it: the same each time, under the same id. */
const expectSendings = (requested: Requested, times: number) => {
  const sendings = sendingsOf(stage, requested)
  const { path, body } = sendings[0] ?? {}
  expect(sendings.map((sending) => [sending.path, sending.body])).toEqual(Array(times).fill([path, body]))
}

describe("a payout that the PSP has taken", () => {
  it.each([
    { way: "lost", name: "its answer was lost" },
    { way: "slow", name: "the PSP is slow to answer" },
    { way: "silent", name: "the PSP never answers" },
    { way: "senseless", name: "the answer to it makes no sense" },
  ])("is sent once and paid once where $name", async ({ way }) => {
    const requested = inWay(way)
    await arrived(requested)
    expectSendings(requested, 1)
  })

  it("has its money back once where its answer was lost and it came to nothing", async () => {
    const requested = inWay("lostAndUnpaid")
    await withdrawalWhen(requested.live, requested.withdrawal.id, "failed")
    await expectReturnedOnce(requested, "failed", "AC03")
    expectSendings(requested, 1)
  })

  it("is sent once and paid once where it lay there until nobody waited any more, unknown meanwhile", async () => {
    const requested = inWay("late")
    await taken(requested)
    expect(stage.psp.requestsOf(lookUpOf(requested)).length).toBeGreaterThan(1)
    expect(await bucketsOf(requested.live)).toEqual(held)
    stage.psp.payoutResult(requested.payoutId, "REALIZADO")
    await arrived(requested)
    expectSendings(requested, 1)
  })

  it("is paid once where the PSP does not find it for so long that it is sent again", {
    timeout: testTimeoutMillis,
  }, async () => {
    const requested = inWay("notFound")
    await sentAgain(requested)
    const { live, withdrawal, payoutId } = requested
    stage.psp.payoutResult(payoutId, "REALIZADO")
    // Even now the PSP does not find what it tells of.
    expect(await stage.tell({ idEnvio: payoutId })).toBe(received)
    const isTried = ({ attempts }: { readonly attempts: number }) => attempts > 0
    await noticeWhen(stage, `${payoutOf(stage, requested).endToEndId}:sent:REALIZADO`, isTried)
    expect((await getWithdrawal(live, withdrawal.id)).status).toBe("processing")
    expect(await stage.tell({ idEnvio: payoutId })).toBe(duplicate)
    await arrived(requested)
    expectSendings(requested, 2)
  })
})

describe("a payout that the PSP has not taken", { timeout: testTimeoutMillis }, () => {
  it.each([
    { way: "unavailable", name: "was out of order (503)" },
    { way: "limited", name: "had had enough of requests (429)" },
    { way: "cut", name: "cut the connection" },
  ])("is sent again under the same id and paid once where the PSP $name", async ({ way }) => {
    const requested = inWay(way)
    await sentAgain(requested)
    expect(stage.psp.payouts.get(requested.payoutId)).toBe(1)
    const { status } = await getWithdrawal(requested.live, requested.withdrawal.id)
    expect([status, await bucketsOf(requested.live)]).toEqual(["processing", held])
    await payAndTell(requested)
    expectSendings(requested, 2)
  })

  it.each([
    { way: "notTold", name: "the PSP does not say that it does not know it" },
    { way: "proxied", name: "a 404 is not in the PSP's own words" },
  ])("is not sent again where $name", async ({ way }) => {
    const requested = inWay(way)
    // All others that may be are sent again after this look-up.
    await eventually(
      "the fifth look-up",
      () => (stage.psp.requestsOf(lookUpOf(requested)).length >= lookUpsInAMinute ? true : undefined),
      resendsEnd - performance.now(),
    )
    await Promise.all(["notFound", "unavailable", "limited", "cut"].map(inWay).map(sentAgain))
    expect(await bucketsOf(requested.live)).toEqual(held)
    expectSendings(requested, 1)
  })

  it("keeps its money held where the PSP refuses it the second time: the first may have been paid", async () => {
    const requested = inWay("refusedAgain")
    await sentAgain(requested)
    // The refusal is asked about: by then it is heard.
    await eventually("the question after the refusal", () =>
      stage.psp.requestsOf(lookUpOf(requested)).length > lookUpsInAMinute + 1 ? true : undefined,
    )
    const { status } = await getWithdrawal(requested.live, requested.withdrawal.id)
    expect([status, await bucketsOf(requested.live)]).toEqual(["processing", held])
    expectSendings(requested, 2)
  })
})

describe("after all that", () => {
  it("what was sent once and has ended was not sent again, and has not changed", async () => {
    for (const way of ["lost", "slow", "silent", "senseless", "late"]) {
      await expectPaidOnce(stage, inWay(way))
      expectSendings(inWay(way), 1)
    }
    await expectReturnedOnce(inWay("lostAndUnpaid"), "failed", "AC03")
    for (const way of ["lostAndUnpaid", "notTold", "proxied"]) expectSendings(inWay(way), 1)
  })

  it("no payout was made twice, and every book adds up", async () => {
    expect([...stage.psp.payouts.values()].every((times) => times === 1)).toBe(true)
    expect(await auditVerify(stage)).toEqual(soundBooks)
  })
})
