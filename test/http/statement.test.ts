import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseSync } from "ofx-js"
import readWorkbook from "read-excel-file/node"
import { limits } from "../../schema/limits.ts"
import { exampleTransaction } from "../../schema/resources/transaction.ts"
import { cookieOf, tokens } from "./dashboardFixture.ts"
import { authorized, errorOf, goodKey, turn } from "./fixture.ts"
import { RawClient } from "./rawClient.ts"
import { entryAt, makeStatements, shownOf } from "./statementFixture.ts"

type Statements = Effect.Success<ReturnType<typeof makeStatements>>

const inStatements = (run: (statements: Statements) => Promise<void>, entries?: number) => () =>
  Effect.flatMap(makeStatements(entries), (statements) => Effect.promise(() => run(statements)))

const days = "from=2026-11-01&to=2026-11-30"
const path = `/v1/statement?${days}`

const get = ({ origin }: Statements, target = path, headers: Record<string, string> = authorized) =>
  fetch(origin + target, { headers })

const requestText = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${goodKey}\r\n\r\n`

/** Pauses after the request, and closes once nothing more is read; `pageEntries` may be on their way then. */
const expectReadAtPace = async (
  { madeUp, port }: Pick<Statements, "madeUp" | "port">,
  request: string,
  pageEntries: number,
) => {
  const client = new RawClient(port)
  client.socket.pause()
  client.send(request)
  // It stands still once the system's buffers of both sockets are full: far less than the whole.
  let quietTurns = 0
  for (let before = -1; madeUp.read === 0 || quietTurns < 1_000; before = madeUp.read) {
    await turn()
    quietTurns = madeUp.read === before ? quietTurns + 1 : 0
  }
  expect(madeUp.read).toBeLessThan(madeUp.entries / 2)
  const before = madeUp.read
  client.close()
  for (let turns = 0; turns < 1_000; turns++) await turn()
  expect(madeUp.read - before).toBeLessThanOrEqual(pageEntries)
}

describe("statements", () => {
  it.live(
    "a statement is CSV by RFC 4180: a header, CRLF, and one line for each entry that moves available",
    inStatements(async (statements) => {
      const response = await get(statements)
      const text = await response.text()
      expect(response.status).toBe(200)
      expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present")
      expect(response.headers.get("content-disposition")).toBe(
        'attachment; filename="statement-test-2026-11-01-2026-11-30.csv"',
      )
      expect(response.headers.get("cache-control")).toContain("no-store")
      const lines = text.split("\r\n")
      expect(lines[0]).toBe("date,time,entry_id,kind,resource_id,description,credit,debit,balance")
      expect(lines[1]).toMatch(
        /^2026-11-21,09:00:00,le_[0-9A-Z]{26},charge_paid,txn_01ARZ3NDEKTSV4RRFFQ69G5FAV,Charge paid,0\.01,,0\.00$/,
      )
      expect(lines.length).toBe(1 + shownOf(statements.madeUp.entries) + 1)
      expect(lines.at(-1)).toBe("")
      expect(text.replaceAll("\r\n", "")).not.toMatch(/[\r\n"]/)
    }),
  )

  it.live(
    "JSON lines are sent where Accept names them, and CSV for any other Accept",
    inStatements(async (statements) => {
      const asked = (accept: string) => get(statements, path, { ...authorized, accept })
      for (const accept of ["application/x-ndjson", "text/csv;q=0.1, Application/X-NDJSON;q=0.9"]) {
        const response = await asked(accept)
        expect(response.headers.get("content-type")).toBe("application/x-ndjson")
        const lines = (await response.text())
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
        expect(lines.length).toBe(shownOf(statements.madeUp.entries))
        expect(lines[1]).toEqual({
          ...{ date: "2026-11-21", time: "09:00:00", entry_id: expect.stringMatching(/^le_/) },
          ...{ kind: "charge_paid", resource_id: "txn_01ARZ3NDEKTSV4RRFFQ69G5FAV" },
          ...{ description: "Charge paid", credit: 1, debit: 0, balance: 1 },
        })
      }
      for (const accept of ["", "*/*", "text/csv", "image/png", "application/json"]) {
        const response = await asked(accept)
        expect(response.headers.get("content-type")).toMatch(/^text\/csv/)
        await response.body?.cancel()
      }
    }),
  )

  it.live(
    "an empty statement is the header alone, and no line at all as JSON lines",
    inStatements(async (statements) => {
      expect(await (await get(statements)).text()).toMatch(/^date,[^\n]*\r\n$/)
      const accept = "application/x-ndjson"
      expect(await (await get(statements, path, { ...authorized, accept })).text()).toBe("")
    }, 0),
  )

  it.live(
    "a page that is exactly full is followed by the rest, which may be nothing",
    inStatements(async (statements) => {
      const text = await (await get(statements)).text()
      expect(text.split("\r\n").length).toBe(2 + shownOf(limits.statementPageEntries))
    }, limits.statementPageEntries),
  )

  it.live(
    "a statement of 100,000 entries arrives whole",
    inStatements(async (statements) => {
      const text = await (await get(statements)).text()
      const lines = text.split("\r\n").filter((line) => line.startsWith("2026-11-21,"))
      expect(lines.length).toBe(shownOf(statements.madeUp.entries))
    }, 100_000),
  )

  it.live(
    "a statement is read no faster than its reader takes it, and not at all once the reader has left",
    inStatements(
      (statements) => expectReadAtPace(statements, requestText, limits.statementPageEntries),
      1_000_000,
    ),
  )

  it.live(
    "HEAD has a statement's head and no body, and takes no place",
    inStatements(async (statements) => {
      for (let count = 0; count <= limits.filesPerSellerMax; count++) {
        const response = await fetch(statements.origin + path, { method: "HEAD", headers: authorized })
        expect(response.status).toBe(200)
        expect(response.headers.get("content-type")).toMatch(/^text\/csv/)
        expect(await response.text()).toBe("")
      }
    }),
  )
})

describe("an export of the statement", () => {
  const exportPath = (locale?: string, format = "csv") =>
    `/v1/statement/export?${days}&format=${format}${locale === undefined ? "" : `&locale=${locale}`}`

  it.live(
    "is what Excel in Brazil opens: a byte order mark, semicolons, decimal commas, payer, order and both ids",
    inStatements(async (statements) => {
      const response = await get(statements, exportPath())
      const text = Buffer.from(await response.arrayBuffer()).toString("utf8")
      expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present")
      expect(response.headers.get("content-disposition")).toBe(
        'attachment; filename="extrato-cafe-cia-d-avila-teste-2026-11-01-2026-11-30.csv"',
      )
      expect(text.startsWith("\uFEFF")).toBe(true)
      const lines = text.slice(1).split("\r\n")
      expect(lines[0]).toBe(
        "Data;Hora;O que houve;Pagador;CPF/CNPJ;Pedido;txid;end_to_end_id;Bruto;Tarifa;Líquido;Entrada;Saída;Saldo",
      )
      expect(lines[2]).toBe(
        `21/11/2026;09:00:00;Venda;"'=HYPERLINK(""x"");Ana";529.982.247-25;A-1001;${exampleTransaction.pix.txid};` +
          "E0000000020261121;129,90;0,00;129,90;0,01;;0,01",
      )
      expect(lines.length).toBe(1 + shownOf(statements.madeUp.entries) + 1)
    }),
  )

  it.live(
    "has commas, points and English words where they are asked for",
    inStatements(async (statements) => {
      const response = await get(statements, exportPath("en"))
      expect(response.headers.get("content-disposition")).toContain('"statement-cafe-cia-d-avila-test-2026')
      const lines = (await response.text()).split("\r\n")
      expect(lines[0]).toMatch(/^Date,Time,What happened,Payer,/)
      expect(lines[2]).toMatch(/^2026-11-21,09:00:00,Sale,.*,129\.90,0\.00,129\.90,0\.01,,0\.01$/)
    }),
  )

  it.live(
    "is a workbook whose amounts and dates are numbers, and whose texts run nothing",
    inStatements(async (statements) => {
      const response = await get(statements, exportPath(undefined, "xlsx"))
      expect(response.headers.get("content-type")).toBe(
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      )
      expect(response.headers.get("content-disposition")).toBe(
        'attachment; filename="extrato-cafe-cia-d-avila-teste-2026-11-01-2026-11-30.xlsx"',
      )
      const sheets = await readWorkbook(Buffer.from(await response.arrayBuffer()))
      expect(sheets.map(({ sheet }) => sheet)).toEqual(["Extrato"])
      const [titles, , row, ...others] = sheets[0]?.data ?? []
      expect(titles?.slice(0, 4)).toEqual(["Data", "Hora", "O que houve", "Pagador"])
      expect(row).toEqual([
        ...[new Date("2026-11-21"), new Date("1899-12-30T09:00:00Z"), "Venda", '=HYPERLINK("x");Ana'],
        ...["529.982.247-25", "A-1001", exampleTransaction.pix.txid, "E0000000020261121"],
        ...[129.9, 0, 129.9, 0.01, null, 0.01],
      ])
      expect(others.length + 2).toBe(shownOf(statements.madeUp.entries))
    }),
  )

  it.live(
    "has JSON lines with the names of the API, centavos, and words of the language",
    inStatements(async (statements) => {
      const response = await get(statements, exportPath("en", "ndjson"))
      expect(response.headers.get("content-type")).toBe("application/x-ndjson")
      expect(response.headers.get("content-disposition")).toContain("2026-11-30.ndjson")
      const lines = (await response.text()).trimEnd().split("\n")
      expect(lines.length).toBe(shownOf(statements.madeUp.entries))
      expect(JSON.parse(lines[1] ?? "")).toEqual({
        ...{ date: "2026-11-21", time: "09:00:00", entry_id: expect.stringMatching(/^le_/) },
        ...{ kind: "charge_paid", resource_id: "txn_01ARZ3NDEKTSV4RRFFQ69G5FAV", description: "Sale" },
        ...{ payer: '=HYPERLINK("x");Ana', document: "52998224725", reference: "A-1001" },
        ...{ txid: exampleTransaction.pix.txid, end_to_end_id: "E0000000020261121" },
        ...{ gross: 12_990, fee: 0, net: 12_990, credit: 1, debit: 0, balance: 1 },
      })
    }),
  )

  it.live(
    "is OFX that an accounting program reads, with the balance after the last entry",
    inStatements(async (statements) => {
      const response = await get(statements, exportPath("en", "ofx"))
      expect(response.headers.get("content-type")).toBe("application/x-ofx")
      expect(response.headers.get("content-disposition")).toContain("2026-11-30.ofx")
      const text = new TextDecoder("windows-1252").decode(await response.arrayBuffer())
      const { STMTRS: account } = parseSync(text).OFX.BANKMSGSRSV1.STMTTRNRS
      expect(account.BANKTRANLIST.STMTTRN.length).toBe(shownOf(statements.madeUp.entries))
      expect(account.BANKTRANLIST.STMTTRN[1]).toMatchObject({
        ...{ TRNTYPE: "CREDIT", DTPOSTED: "20261121090000[-3:BRT]", TRNAMT: "0.01" },
        MEMO: 'Sale - =HYPERLINK("x");Ana - A-1001',
      })
      // Of the last entry, which moves no `available` itself.
      expect(account.LEDGERBAL.BALAMT).toBe(((statements.madeUp.entries - 1) / 100).toFixed(2))
    }),
  )

  it.live(
    "OFX of days without entries has the balance of the last one before them",
    inStatements(async (statements) => {
      statements.madeUp.before = entryAt(12_345)
      const text = await (await get(statements, exportPath("en", "ofx"))).text()
      expect(text).toContain("<BALAMT>123.45</BALAMT>")
      expect(text).not.toContain("<STMTTRN>")
      statements.madeUp.before = undefined
      expect(await (await get(statements, exportPath("en", "ofx"))).text()).toContain("<BALAMT>0.00</BALAMT>")
    }, 0),
  )

  it.live(
    "a workbook is read no faster than its reader takes it, and not at all once the reader has left",
    inStatements(
      (statements) =>
        expectReadAtPace(
          statements,
          requestText.replace(path, exportPath(undefined, "xlsx")),
          limits.exportPageEntries,
        ),
      2_000_000,
    ),
  )

  it.live(
    "a workbook whose reading fails midway has no end, so that no part passes for the whole",
    inStatements(async (statements) => {
      statements.madeUp.failure = { after: limits.exportPageEntries, kind: "revoked" }
      const whole = get(statements, exportPath(undefined, "xlsx")).then((response) => response.arrayBuffer())
      await expect(whole).rejects.toThrow()
    }),
  )

  it.live(
    "reads the charges of a page at once, each once, and no more than pages of entries",
    inStatements(
      async (statements) => {
        await (await get(statements, exportPath())).text()
        // All entries of the made-up ledger are of one charge.
        expect(statements.madeUp.chargesRead).toBe(3)
      },
      limits.exportPageEntries * 2 + 1,
    ),
  )

  it.live.each([
    [`/v1/statement/export?${days}`, "format"],
    [`/v1/statement/export?${days}&format=xls`, "format"],
    [`/v1/statement/export?${days}&format=csv&locale=fr`, "locale"],
    ["/v1/statement/export?from=2026-11-02&to=2026-11-01&format=csv", "to"],
  ])("%s is 400 at %s", ([target, param]) =>
    inStatements(async (statements) => {
      const error = await errorOf(await get(statements, target))
      expect([error.code, error.param]).toEqual(["validation_failed", param])
    })(),
  )
})

describe("a statement's end", () => {
  for (const kind of ["revoked", "away"] as const) {
    it.live(
      `a statement whose ${kind === "revoked" ? "key is revoked" : "Redis goes"} midway is cut, so that no part passes for the whole`,
      inStatements(async (statements) => {
        statements.madeUp.failure = { after: limits.statementPageEntries, kind }
        const client = new RawClient(statements.port)
        client.send(requestText)
        await client.until(({ closed }) => closed)
        expect(client.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
        expect(client.text()).toContain("charge_paid")
        expect(client.text()).not.toMatch(/\r\n0\r\n\r\n$/)
        statements.madeUp.read = 0
        await expect(get(statements).then((response) => response.text())).rejects.toThrow()
      }),
    )
  }

  it.live(
    "what fails before the first line is answered with its status",
    inStatements(async (statements) => {
      statements.madeUp.failure = { after: 0, kind: "revoked" }
      expect((await errorOf(await get(statements))).code).toBe("invalid_api_key")
      statements.madeUp.failure = { after: 0, kind: "away" }
      expect((await errorOf(await get(statements))).code).toBe("service_unavailable")
      statements.madeUp.failure = undefined
      expect((await get(statements)).status).toBe(200)
    }),
  )

  it.live(
    "a session reads its statement as long as it lasts",
    inStatements(async (statements) => {
      const mine = `/v1/me/statement?${days}`
      const ask = (token: string) => get(statements, mine, { Cookie: cookieOf(token), "X-Mode": "test" })
      const whole = await (await ask(tokens.sellerWithoutStepUp)).text()
      expect(whole).toBe(await (await get(statements)).text())
      // Found when the request is admitted, and not again.
      expect((await errorOf(await ask(tokens.ending))).code).toBe("session_required")
    }),
  )
})

describe("the days of a statement", () => {
  it.live.each([
    ["to=2026-11-30", "from"],
    ["from=2026-11-01", "to"],
    ["from=2026-11-31&to=2026-12-01", "from"],
    ["from=2026-11-01T00:00:00Z&to=2026-12-01", "from"],
    ["from=2026-11-01&to=1", "to"],
    ["from=2026-11-02&to=2026-11-01", "to"],
    // 366 days are a leap year; the next day is one more.
    ["from=2024-01-01&to=2025-01-01", "to"],
  ])("%s is 400 at %s", ([query, param]) =>
    inStatements(async (statements) => {
      const response = await get(statements, `/v1/statement?${query}`)
      expect(response.status).toBe(400)
      const error = await errorOf(response)
      expect([error.code, error.param]).toEqual(["validation_failed", param])
    })(),
  )

  it.live(
    "one day and 366 days are accepted, and so are days before Redis",
    inStatements(async (statements) => {
      for (const query of [
        "from=2026-11-21&to=2026-11-21",
        "from=2024-01-01&to=2024-12-31",
        "from=0001-01-01&to=0001-01-02",
      ]) {
        const response = await get(statements, `/v1/statement?${query}`)
        expect([query, response.status]).toEqual([query, 200])
        await response.text()
      }
    }, 1),
  )
})
