import { createHash } from "node:crypto"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { apiPixNotices, readNotices } from "../../src/acquirers/apiPix/notices.ts"
import { runsOf } from "../support/sizes.ts"

const endToEndId = "E1234567820261121000712345678901"
const txid = "a1B2".repeat(8)
const received = { endToEndId, txid, valor: "129.90", horario: "2026-11-21T00:07:35.123Z" }
const bodyOf = (...pix: ReadonlyArray<unknown>) => JSON.stringify({ pix })
const unreadable = (body: string) => ({
  eventType: null,
  providerEventId: `sha256:${createHash("sha256").update(body).digest("hex")}`,
  txid: undefined,
  payoutId: undefined,
  endToEndId: undefined,
  refundId: undefined,
})

describe("notices of a webhook body", () => {
  it("a webhook body of a payment is one notice, identified by its transfer", () => {
    expect(readNotices(bodyOf(received))).toEqual([
      {
        eventType: "pix.received",
        providerEventId: `${endToEndId}:received`,
        txid,
        payoutId: undefined,
        endToEndId,
        refundId: undefined,
      },
    ])
  })

  it("a notice of a transfer that belongs to no charge has no txid", () => {
    expect(readNotices(bodyOf({ ...received, txid: null }))).toMatchObject([
      { eventType: "pix.received", txid: undefined, endToEndId },
    ])
  })

  it("a webhook body of refunds has a notice for each refund and state, which names a refund that is done", () => {
    const devolucoes = [
      { id: "r1", rtrId: "D1", valor: "10.00", status: "EM_PROCESSAMENTO" },
      { id: "r2", valor: "20.00", status: "DEVOLVIDO", natureza: "MED_FRAUDE" },
      { id: "r3", valor: "20.00" },
    ]
    const common = { eventType: "pix.refund", txid, payoutId: undefined, endToEndId }
    expect(readNotices(bodyOf({ ...received, devolucoes }))).toEqual([
      { ...common, providerEventId: `${endToEndId}:refund:r1:EM_PROCESSAMENTO`, refundId: undefined },
      { ...common, providerEventId: `${endToEndId}:refund:r2:DEVOLVIDO`, refundId: "r2" },
      { ...common, providerEventId: `${endToEndId}:refund:r3:none`, refundId: undefined },
    ])
  })

  it("a webhook body of a payout is one notice, identified by its transfer or else by our id", () => {
    const gnExtras = { idEnvio: "01KB2N4Y8Q6ZJ5T7R9W3X1V0SD" }
    const common = { eventType: "pix.sent", txid: undefined, payoutId: gnExtras.idEnvio, refundId: undefined }
    expect(readNotices(bodyOf({ ...received, gnExtras, status: "REALIZADO" }))).toEqual([
      { ...common, providerEventId: `${endToEndId}:sent:REALIZADO`, endToEndId },
    ])
    expect(readNotices(bodyOf({ gnExtras, status: "NAO_REALIZADO" }))).toEqual([
      { ...common, providerEventId: `${gnExtras.idEnvio}:sent:NAO_REALIZADO`, endToEndId: undefined },
    ])
  })

  it("a payout's notice is another once something came back of it, and with each return", () => {
    const gnExtras = { idEnvio: "01KB2N4Y8Q6ZJ5T7R9W3X1V0SD" }
    const payout = { ...received, gnExtras, status: "REALIZADO" }
    const back = { id: "D1", valor: "10.00", status: "EM_PROCESSAMENTO" }
    const bodies = [
      payout,
      { ...payout, devolucoes: [back] },
      { ...payout, devolucoes: [{ ...back, status: "DEVOLVIDO" }] },
      {
        ...payout,
        devolucoes: [
          { ...back, status: "DEVOLVIDO" },
          { ...back, id: "D2" },
        ],
      },
      { ...payout, devolucoes: [{ rtrId: "D3", valor: "10.00", status: "DEVOLVIDO" }] },
      { ...payout, devolucoes: [{ valor: "10.01" }] },
      { ...payout, devolucoes: [{ valor: 10.02 }] },
      { ...payout, status: "DEVOLVIDO" },
    ]
    const notices = bodies.map((body) => readNotices(bodyOf(body)))
    for (const one of notices) {
      expect(one).toMatchObject([{ eventType: "pix.sent", payoutId: gnExtras.idEnvio, endToEndId }])
    }
    const keyOf = (body: unknown) => readNotices(bodyOf(body))[0]?.providerEventId
    expect(new Set(notices.map(([one]) => one?.providerEventId)).size).toBe(bodies.length)
    expect(keyOf({ ...payout, devolucoes: [] })).toBe(keyOf(payout))
    const [first, second] = [back, { ...back, id: "D2" }]
    expect(keyOf({ ...payout, devolucoes: [second, first] })).toBe(
      keyOf({ ...payout, devolucoes: [first, second] }),
    )
  })

  it("a Pix's notice is another once it names its charge, and of each state of each return", () => {
    const back = { id: "r1", valor: "10.00", status: "EM_PROCESSAMENTO" }
    const bodies = [
      { ...received, txid: null },
      received,
      { ...received, devolucoes: [back] },
      { ...received, devolucoes: [{ ...back, status: "DEVOLVIDO" }] },
      { ...received, devolucoes: [{ ...back, status: "NAO_REALIZADO" }] },
      { ...received, txid: null, devolucoes: [back] },
    ]
    const keys = bodies.map((body) => readNotices(bodyOf(body))[0]?.providerEventId)
    expect(new Set(keys).size).toBe(bodies.length)
  })

  it("a webhook body of several transfers has the notices of all, in their order", () => {
    const second = "E1234567820261121000712345678902"
    const ids = readNotices(bodyOf(received, { endToEndId: second, valor: "1.00" })).map(
      (notice) => notice.endToEndId,
    )
    expect(ids).toEqual([endToEndId, second])
  })

  it("an unreadable webhook body is one notice without a type, identified by its hash", () => {
    const bodies = [
      "",
      "{",
      "[]",
      "null",
      '{"evento":"teste_webhook"}',
      '{"pix":{}}',
      '{"pix":[]}',
      '{"pix":[null]}',
      '{"pix":[{}]}',
      bodyOf({ ...received, endToEndId: "E 1" }),
      bodyOf({ ...received, endToEndId: "E".repeat(65) }),
      bodyOf({ ...received, endToEndId: 5 }),
      bodyOf({ ...received, txid: "../x" }),
      bodyOf({ ...received, gnExtras: { idEnvio: "a:b" } }),
      bodyOf({ ...received, devolucoes: [{ id: "x".repeat(65) }] }),
      bodyOf({ ...received, devolucoes: [{ status: "DEVOLVIDO" }] }),
      bodyOf({ ...received, gnExtras: { idEnvio: "a" }, status: "não" }),
    ]
    for (const body of bodies) expect(readNotices(body)).toEqual([unreadable(body)])
  })

  it("a partly unreadable webhook body has the notices of the rest and one without a type", () => {
    const body = bodyOf({ endToEndId: "é" }, received, { endToEndId: "" })
    expect(readNotices(body)).toMatchObject([{ eventType: "pix.received", endToEndId }, unreadable(body)])
  })

  it("a webhook body gives all of its notices, even 300", () => {
    const many = Array.from({ length: 300 }, (_, index) => ({ ...received, endToEndId: `E${index}` }))
    expect(readNotices(bodyOf(...many.slice(0, 101)))).toHaveLength(101)
    const devolucoes = many.map((_, index) => ({ id: `r${index}`, status: "DEVOLVIDO" }))
    expect(readNotices(bodyOf({ ...received, devolucoes }))).toHaveLength(300)
    const broken = readNotices(bodyOf({}, ...many))
    expect(broken).toHaveLength(301)
    expect(broken.at(-1)?.eventType).toBeNull()
  })

  it("any webhook body gives at least one notice, with ids of safe characters", () => {
    const id = fc.oneof(fc.constantFrom("a1", endToEndId, "", "x".repeat(80), "a:b"), fc.string())
    const loose = fc.oneof(id, fc.jsonValue(), fc.constant(undefined))
    const item = fc.record({
      endToEndId: loose,
      txid: loose,
      status: loose,
      devolucoes: fc.oneof(fc.array(fc.record({ id: loose, status: loose })), fc.jsonValue()),
      gnExtras: fc.oneof(fc.record({ idEnvio: loose }), fc.constant(undefined)),
    })
    const body = fc.oneof(
      fc.string(),
      fc.json(),
      fc.array(fc.oneof(item, fc.jsonValue())).map((pix) => bodyOf(...pix)),
    )
    fc.assert(
      fc.property(body, (text) => {
        const notices = readNotices(text)
        expect(notices.length).toBeGreaterThan(0)
        for (const notice of notices) {
          expect(notice.providerEventId).toMatch(/^[A-Za-z0-9_:-]{1,211}$/)
          for (const one of [notice.txid, notice.payoutId, notice.endToEndId]) {
            if (one !== undefined) expect(one).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
          }
        }
      }),
      { numRuns: runsOf(1_000) },
    )
  })
})

describe("the source of api-pix's notices", () => {
  it("the source of api-pix's notices has its slug and the secret that it is given", () => {
    expect(apiPixNotices("s3cret")).toEqual({ slug: "api-pix", secret: "s3cret", read: readNotices })
    expect(apiPixNotices(undefined).secret).toBeUndefined()
  })
})
