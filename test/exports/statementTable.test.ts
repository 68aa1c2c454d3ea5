import { describe, expect, it } from "vitest"
import type { EntryCharge, EntryWithdrawal } from "../../schema/resources/ledger.ts"
import { ofxWriter } from "../../src/exports/ofx.ts"
import { type Movement, statementTable } from "../../src/exports/statementTable.ts"
import { tableWriter } from "../../src/exports/table.ts"
import { entryAt } from "../http/statementFixture.ts"

const feed = { sellerId: "sel_01ARZ3NDEKTSV4RRFFQ69G5FAV", mode: "live" } as const
const id = "wd_01ARZ3NDEKTSV4RRFFQ69G5FAV"
const endToEndId = "E1234567820261121120012345678901"
const withdrawal: EntryWithdrawal = { id, amount: 150_000, fee: 100, end_to_end_id: endToEndId }

type Postings = Movement["entry"]["postings"]
const ofWithdrawal = (
  kind: Movement["entry"]["kind"],
  postings: Postings,
  of: EntryWithdrawal | undefined = withdrawal,
): Movement => ({
  entry: { ...entryAt(0), kind, resourceType: "withdrawal", resourceId: id, postings },
  charge: undefined,
  withdrawal: of,
})
const held = (of?: EntryWithdrawal) =>
  ofWithdrawal(
    "withdrawal_held",
    [
      { bucket: "available", amount: -150_100 },
      { bucket: "pending_withdraw", amount: 150_100 },
    ],
    of,
  )
const returned = ofWithdrawal("withdrawal_returned", [
  { bucket: "pending_withdraw", amount: -150_100 },
  { bucket: "available", amount: 150_100 },
])
const debited = ofWithdrawal("payout_debited", [
  { bucket: "available", amount: -150_100 },
  { bucket: "external", amount: 150_000 },
  { bucket: "fees", amount: 100 },
])
const sentBack = ofWithdrawal("payout_returned", [
  { bucket: "external", amount: -150_000 },
  { bucket: "available", amount: 150_000 },
])
const charge: EntryCharge = {
  ...{ id: "txn_1", txid: "x", end_to_end_id: "E1", amount: 12_990, fee: 90, net_amount: 12_900 },
  ...{ reference: null, customer: { name: "Ana Souza", document: "52998224725" } },
}
const sale: Movement = { entry: entryAt(0), charge, withdrawal: undefined }
const refund: Movement = { entry: { ...entryAt(0), kind: "refund_held" }, charge, withdrawal: undefined }

const recordsOf = (movements: ReadonlyArray<Movement>) =>
  String(tableWriter(statementTable(feed), "ndjson", "pt-BR").rows(movements))
    .trimEnd()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line))

describe("the fee of a withdrawal in a statement", () => {
  it("a withdrawal has the Pix that the bank shows, its fee and its end-to-end id", () => {
    expect(tableWriter(statementTable(feed), "csv", "pt-BR").rows([held()])).toBe(
      `21/11/2026;09:00:00;Saque;;;;;${endToEndId};-1500,00;1,00;-1501,00;;1501,00;0,00\r\n`,
    )
    expect(recordsOf([held()])[0]).toMatchObject({
      ...{ gross: -150_000, fee: 100, net: -150_100, credit: 0, debit: 150_100 },
      ...{ end_to_end_id: endToEndId, txid: null, payer: null },
    })
  })

  it("what came back gives the fee back, and what the bank paid after all takes it", () => {
    const rows = [held(), returned, debited, sentBack]
    expect(recordsOf(rows).map(({ gross, fee, net }) => [gross, fee, net])).toEqual([
      [-150_000, 100, -150_100],
      [150_000, -100, 150_100],
      [-150_000, 100, -150_100],
      [150_000, 0, 150_000],
    ])
  })

  it("a withdrawal that test mode has forgotten has no fee; sales and refunds are as they were", () => {
    const forgotten = { ...held(), withdrawal: undefined }
    expect(recordsOf([forgotten, sale, refund]).map(({ gross, fee, net }) => [gross, fee, net])).toEqual([
      [null, null, null],
      [12_990, 90, 12_900],
      [null, null, null],
    ])
  })

  it("OFX says it in the memo, and keeps the amount and the id", () => {
    const account = { feed, fromMillis: 0, toMillis: 1, nowMillis: 1 }
    const written = (movement: Movement, locale: "pt-BR" | "en") =>
      Buffer.from(ofxWriter({ ...account, locale }).rows([movement])).toString("latin1")
    expect(written(held(), "pt-BR")).toContain(
      `<MEMO>Saque - Pix 1500,00 + tarifa 1,00 - ${endToEndId}</MEMO>`,
    )
    expect(written(held({ ...withdrawal, end_to_end_id: null }), "en")).toContain(
      "<MEMO>Withdrawal - Pix 1500.00 + fee 1.00</MEMO>",
    )
    expect(written(held(), "en")).toContain("<TRNAMT>-1501.00</TRNAMT>")
    expect(written(sentBack, "pt-BR")).toContain(`<MEMO>Saque devolvido pelo banco - ${endToEndId}</MEMO>`)
  })
})
