import { parseStrict } from "ofx-js"
import { describe, expect, it } from "vitest"
import type { EntryCharge } from "../../schema/resources/ledger.ts"
import { ofxWriter } from "../../src/exports/ofx.ts"
import type { Movement } from "../../src/exports/statementTable.ts"
import { entryAt } from "../http/statementFixture.ts"

const account = {
  feed: { sellerId: "sel_01ARZ3NDEKTSV4RRFFQ69G5FAV", mode: "live" },
  locale: "pt-BR",
  fromMillis: Date.parse("2026-11-01T03:00:00Z"),
  toMillis: Date.parse("2026-12-01T02:59:59.999Z"),
  nowMillis: Date.parse("2026-11-21T15:30:00Z"),
} as const

const charge: EntryCharge = {
  ...{ id: "txn_01ARZ3NDEKTSV4RRFFQ69G5FAV", txid: "x", end_to_end_id: null },
  ...{ amount: 1, fee: 0, net_amount: 1, reference: "A-1001" },
  customer: { name: "Ana Souza", document: "52998224725" },
}

const movement = (
  change: Partial<Movement["entry"]> = {},
  of: EntryCharge | undefined = charge,
): Movement => ({
  entry: { ...entryAt(0), ...change },
  charge: of,
  withdrawal: undefined,
})
const moved = (amount: number) => ({
  postings: [
    { bucket: "available", amount },
    { bucket: "external", amount: -amount },
  ] as const,
})

/** A file of some movements, as bytes. */
const written = (
  movements: ReadonlyArray<Movement>,
  change: Partial<Parameters<typeof ofxWriter>[0]> = {},
  available = 1,
) => {
  const writer = ofxWriter({ ...account, ...change })
  return Buffer.concat([
    writer.header,
    ...movements.map((one) => writer.rows([one])),
    writer.footer(available),
  ])
}

/** The file as a program reads it that believes its header. */
const read = (bytes: Buffer) => {
  const text = new TextDecoder("windows-1252").decode(bytes)
  expect(text).toMatch(/^OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\n/)
  expect(text).toContain("\r\nENCODING:USASCII\r\nCHARSET:1252\r\n")
  return parseStrict(text).OFX
}
const accountOf = (bytes: Buffer) => {
  const statement = read(bytes).BANKMSGSRSV1?.STMTTRNRS
  return (Array.isArray(statement) ? statement[0] : statement)?.STMTRS
}
const transactionsOf = (bytes: Buffer) => [accountOf(bytes)?.BANKTRANLIST?.STMTTRN ?? []].flat()
const memoOf = (name: string, reference: string | null = null) =>
  transactionsOf(written([movement({}, { ...charge, reference, customer: { ...charge.customer, name } })]))[0]
    ?.MEMO

describe("a statement in OFX", () => {
  it("names the account, the days, each movement and the balance after them", () => {
    const bytes = written(
      [movement(moved(12_990)), movement({ ...moved(-5), kind: "refund_held" })],
      {},
      12_985,
    )
    expect(read(bytes).SIGNONMSGSRSV1?.SONRS).toMatchObject({
      DTSERVER: "20261121123000[-3:BRT]",
      LANGUAGE: "POR",
    })
    const common = { DTPOSTED: "20261121090000[-3:BRT]", FITID: expect.stringMatching(/^le_\w{26}$/) }
    expect(accountOf(bytes)).toMatchObject({
      CURDEF: "BRL",
      BANKACCTFROM: {
        BANKID: "CORRENTE",
        ACCTID: "Z3NDEKTSV4RRFFQ69G5FAV",
        ACCTTYPE: "CHECKING",
      },
      BANKTRANLIST: {
        DTSTART: "20261101000000[-3:BRT]",
        DTEND: "20261130235959[-3:BRT]",
        STMTTRN: [
          { ...common, TRNTYPE: "CREDIT", TRNAMT: "129.90", MEMO: "Venda - Ana Souza - A-1001" },
          { ...common, TRNTYPE: "DEBIT", TRNAMT: "-0.05", MEMO: "Devolução - Ana Souza - A-1001" },
        ],
      },
      LEDGERBAL: { BALAMT: "129.85", DTASOF: "20261121123000[-3:BRT]" },
    })
  })

  it("a stretch without movements has none, and the balance of its end", () => {
    const bytes = written([], { nowMillis: Date.parse("2027-01-05T00:00:00Z") }, -7)
    expect(transactionsOf(bytes)).toEqual([])
    expect(accountOf(bytes)?.LEDGERBAL).toMatchObject({ BALAMT: "-0.07", DTASOF: "20261130235959[-3:BRT]" })
  })

  it("an entry has the same FITID in every file, and another in another mode", () => {
    const idIn = (change: Parameters<typeof written>[1]) =>
      transactionsOf(written([movement()], change))[0]?.FITID
    expect(idIn({ fromMillis: 0 })).toBe(idIn({ locale: "en" }))
    expect(idIn({ feed: { ...account.feed, mode: "test" } })).not.toBe(idIn({}))
  })

  it("test mode is another account, and both names fit into 22 characters", () => {
    const idOf = (mode: "test" | "live") =>
      accountOf(written([], { feed: { ...account.feed, mode } }))?.BANKACCTFROM?.ACCTID
    expect(idOf("test")).toBe("TEST-KTSV4RRFFQ69G5FAV")
    expect([idOf("test")?.length, idOf("live")?.length]).toEqual([22, 22])
  })

  it("a movement has the hour of São Paulo then, summer time with its own offset", () => {
    const at = (text: string) =>
      transactionsOf(written([movement({ entryId: `${Date.parse(text)}-0` })]))[0]?.DTPOSTED
    expect(at("2018-11-04T02:59:59Z")).toBe("20181103235959[-3:BRT]")
    expect(at("2018-11-04T03:00:00Z")).toBe("20181104010000[-2:BRST]")
  })

  it("texts close no element and keep to a line, and movements without a charge have their words alone", () => {
    expect(memoOf("</MEMO><TRNAMT>9</TRNAMT>&amp;")).toBe("Venda - </MEMO><TRNAMT>9</TRNAMT>&amp;")
    expect(memoOf("Ana\r\n\tSouza\u0000", "a\nb")).toBe("Venda - Ana Souza - a b")
    const withdrawal = movement({ ...moved(-1), kind: "withdrawal_held" }, undefined)
    expect(transactionsOf(written([{ ...withdrawal, charge: undefined }]))[0]?.MEMO).toBe("Saque")
  })

  it("is in Windows-1252 as its header says; letters that it does not have lose their accents, and others are ?", () => {
    expect(memoOf("Zoë D’Ávila – Cia. “€”")).toBe("Venda - Zoë D’Ávila – Cia. “€”")
    expect(memoOf("A\u0301lvaro Dvořák 😀 北")).toBe("Venda - Álvaro Dvorák ? ?")
    expect(
      written([movement({}, { ...charge, reference: "ç" })]).includes(Buffer.from([0x20, 0xe7, 0x3c])),
    ).toBe(true)
  })

  it("a memo has 255 characters at most", () => {
    expect(memoOf("a".repeat(247))).toBe(`Venda - ${"a".repeat(247)}`)
    expect(memoOf("a".repeat(248))).toBe(`Venda - ${"a".repeat(247)}`)
  })
})
