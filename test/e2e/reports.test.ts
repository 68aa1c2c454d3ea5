import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { lastPeriod } from "../../actors/values/reportPeriods.ts"
import { dayOf } from "../../actors/values/saoPauloDays.ts"
import { limits } from "../../schema/limits.ts"
import type { Report } from "../../schema/resources/report.ts"
import { tagOf } from "../../src/store/keys.ts"
import { signInAsSeller } from "../support/dashboard.ts"
import { type MailServer, startMailServer } from "../support/mailServer.ts"
import { until } from "../support/until.ts"
import type { ErrorBody } from "./support/client.ts"
import { type DashboardClient, dashboardClient } from "./support/dashboardClient.ts"
import { paidCharge } from "./support/refunds.ts"
import { findKey, openStage, type Stage } from "./support/stage.ts"

const path = "/v1/me/reports"

let mails: MailServer
let stage: Stage
/** How the mail server refuses recipients: by the address's first part. */
const refusals = new Map<string, number>()
/** The address at which the mail server waits for ever. */
let stuckAt = ""
beforeAll(async () => {
  mails = await startMailServer({
    refuses: (address) => (address === stuckAt ? new Promise(() => {}) : refusals.get(address)),
  })
  stage = await openStage({
    ...{ SIMULATOR_DELAY_MS: "10", SMTP_URL: mails.url, MAIL_FROM: "pix@corrente.example" },
    TRUSTED_PROXIES: "127.0.0.1,::1",
  })
})
afterAll(async () => {
  await stage?.close()
  await mails?.stop()
})

/** A seller with a session of its user, in live unless a mode is given. */
const openSession = async (options: Parameters<Stage["newSeller"]>[0] = {}) => {
  const seller = await stage.newSeller(options)
  const { cookie, email, userId } = await signInAsSeller(stage.service, seller.id, { isSteppedUp: true })
  await stage.redis("HSET", await findKey(stage, `seller:*:${seller.id}`), "user", userId)
  return {
    ...{ seller, email },
    session: dashboardClient(stage.service.url, { cookie }),
    inTest: dashboardClient(stage.service.url, { cookie }, "test"),
  }
}

let people = 0
/** An address that no other test has. */
const newAddress = (): string => `contador${++people}@example.com`

const bodyOf = (changes: Readonly<Record<string, unknown>> = {}) => ({
  ...{ kind: "transactions", format: "ndjson", every: "day", emails: [newAddress()] },
  ...changes,
})

const make = async (session: DashboardClient, changes: Readonly<Record<string, unknown>> = {}) => {
  const answer = await session.send<Report>("POST", path, bodyOf(changes))
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}

/** Lets a report be due now, and its timer with it. */
const makeDue = async ({ id }: Report) => {
  const tag = tagOf(id)
  await stage.redis("HSET", `rpt:${tag}:${id}`, "next", 1)
  await stage.redis("ZADD", `timers:${tag}`, 1, `${id}:report`)
  await stage.redis("PUBLISH", `wake:${tag}`, "t 1")
}

const now = async (session: DashboardClient, { id }: Report) => {
  const { body } = await session.get<{ readonly data: ReadonlyArray<Report> }>(path)
  return body.data.find((report) => report.id === id)
}

const mailsTo = (email: string) => mails.mails.filter(({ to }) => to.includes(email))

/** The mail that an address gets once its report was mailed. */
const mailed = async (session: DashboardClient, report: Report, email = report.emails[0] ?? "") => {
  const before = mailsTo(email).length
  await makeDue(report)
  await until("the report to be mailed", async () => (await now(session, report))?.last != null)
  const [mail] = mailsTo(email).slice(before)
  if (mail === undefined) throw new Error("no mail came")
  const linkTo = (part: RegExp) => new URL(part.exec(mail.text)?.[0] ?? "none:").pathname
  return {
    mail,
    file: linkTo(/https?:\S+\/reports\/(?!end)\S+/),
    end: linkTo(/https?:\S+\/reports\/end\/\S+/),
  }
}

let clients = 0
/** Opens a link as a browser or a program does, each time from another address. */
const open = async (
  link: string,
  {
    method = "GET",
    accept = "*/*",
    body,
    address = `198.51.100.${++clients % 250}`,
  }: {
    readonly method?: string
    readonly accept?: string
    readonly body?: string
    readonly address?: string
  } = {},
) => {
  const answer = await fetch(new URL(link, stage.service.url), {
    method,
    headers: {
      accept,
      "x-forwarded-for": address,
      ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
    },
    ...(body === undefined ? {} : { body }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Sets the days of a mailed link: what is sold in a test is not of yesterday. */
const setDays = async (report: Report, link: string, from: string, to = from) => {
  const secret = link.split("/").at(-1)?.slice(26) ?? ""
  const hash = createHash("sha256").update(secret).digest("base64url")
  const key = `rpt-links:${tagOf(report.id)}:${report.id}`
  const [ends] = String(await stage.redis("HGET", key, hash)).split(" ")
  await stage.redis("HSET", key, hash, `${ends} ${from} ${to}`)
  return { key, hash }
}

describe("reports by the API", () => {
  it("a report is answered whole, listed newest first in its mode alone, and gone once deleted", async () => {
    const { session, inTest, email } = await openSession()
    const emails = [newAddress(), newAddress()]
    const first = await make(session, {
      kind: "statement",
      format: "ofx",
      every: "month",
      locale: "en",
      emails,
    })
    expect(first).toEqual({
      ...{ id: expect.stringMatching(/^rpt_[0-9A-Z]{26}$/), object: "report", mode: "live" },
      ...{ kind: "statement", format: "ofx", locale: "en", every: "month", emails, last: null },
      created_at: expect.any(String),
      next_at: expect.stringMatching(/-01T0[89]:\d\d:00.000Z$/),
    })
    const second = await make(session)
    expect(second.locale).toBe("pt-BR")
    const own = await make(inTest, { emails: [email.toUpperCase()] })
    const listed = async (client: DashboardClient) =>
      (await client.get<{ readonly data: ReadonlyArray<Report> }>(path)).body.data
    expect(await listed(session)).toEqual([second, first])
    expect(await listed(inTest)).toEqual([own])
    const other = await openSession()
    expect((await other.session.send("DELETE", `${path}/${first.id}`)).status).toBe(404)
    expect((await inTest.send("DELETE", `${path}/${first.id}`)).status).toBe(404)
    expect((await session.send("DELETE", `${path}/${first.id}`)).status).toBe(204)
    expect((await session.send("DELETE", `${path}/${first.id}`)).status).toBe(404)
    expect(await listed(session)).toEqual([second])
    expect(await stage.redis("KEYS", `*${first.id}*`)).toEqual([])
  })

  const addresses = (count: number) => Array.from({ length: count }, newAddress)
  it.for([
    [{ emails: addresses(limits.reportEmailsMax) }, undefined],
    [{ emails: addresses(limits.reportEmailsMax + 1) }, "emails"],
    [{ emails: [] }, "emails"],
    [{ emails: ["a@example.com", "b@example.com", "A@EXAMPLE.com"] }, "emails.2"],
    [{ emails: ["a@example.com", "no address"] }, "emails.1"],
    [{ kind: "ledger" }, "kind"],
    [{ every: "year" }, "every"],
    [{ format: "pdf" }, "format"],
    [{ kind: "transactions", format: "ofx" }, "format"],
    [{ kind: "refunds", format: "ofx" }, "format"],
    [{ kind: "withdrawals", format: "csv" }, undefined],
    [{ locale: "fr" }, "locale"],
  ] as const)("%j is refused at %s", async ([changes, param]) => {
    const { session } = await openSession()
    const { status, body } = await session.send<Partial<ErrorBody>>("POST", path, bodyOf(changes))
    expect([status, body.error?.param]).toEqual([param === undefined ? 201 : 400, param])
  })

  it("a mode has as many reports as the limit says, and not one more", async () => {
    const { session } = await openSession()
    for (let count = 0; count < limits.reportsPerModeMax; count++) await make(session)
    const { status, body } = await session.send("POST", path, bodyOf())
    expect([status, body.error.code]).toEqual([409, "invalid_state"])
  })

  it("as many are made in an hour as the limit says, and not one more, whatever became of them", async () => {
    const { session } = await openSession()
    for (let count = 0; count < limits.reportsMadePerHour; count++) {
      expect((await session.send("POST", path, bodyOf({ kind: "refunds", format: "ofx" }))).status).toBe(400)
    }
    const { status, headers, body } = await session.send("POST", path, bodyOf())
    expect([status, body.error.code]).toEqual([429, "rate_limited"])
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0)
  })

  it("reports go to others only in live and once the seller is identified, and to oneself always", async () => {
    const pending = await openSession({ kycStatus: "pending" })
    const refused = await pending.session.send("POST", path, bodyOf())
    expect([refused.status, refused.body.error.code]).toEqual([403, "kyc_required"])
    await make(pending.session, { emails: [pending.email] })
    const inTest = await pending.inTest.send("POST", path, bodyOf({ emails: [pending.email, newAddress()] }))
    expect([inTest.status, inTest.body.error.param]).toEqual([400, "emails.1"])
  })

  it("addresses are stored as ciphertext, and masked in the audit log", async () => {
    const { session, seller } = await openSession()
    const email = newAddress()
    const report = await make(session, { emails: [email] })
    await session.send("DELETE", `${path}/${report.id}`)
    const again = await make(session, { emails: [email] })
    const stored = await stage.redis("HGETALL", `rpt:${tagOf(again.id)}:${again.id}`)
    expect(JSON.stringify(stored)).not.toContain("contador")
    const log = await session.get<{
      readonly data: ReadonlyArray<{ action: string; resource_id: string; details: object }>
    }>("/v1/me/audit")
    const own = log.body.data.filter(({ action }) => action.startsWith("report."))
    const domain = email.slice(email.indexOf("@"))
    const details = {
      mode: "live",
      kind: "transactions",
      format: "ndjson",
      every: "day",
      emails: [`c***${domain}`],
    }
    expect(own.map(({ action, resource_id, details: told }) => [action, resource_id, told])).toEqual([
      ["report.created", again.id, details],
      ["report.deleted", report.id, { mode: "live" }],
      ["report.created", report.id, details],
    ])
    expect(log.text).not.toContain("contador")
    expect(seller.id).toBeTruthy()
  })
})

describe("mailed reports", () => {
  it("each recipient gets one mail of the last period, with links of its own, and the next comes after the next period", async () => {
    const { session } = await openSession({ name: "Loja da Ana" })
    const emails = [newAddress(), newAddress()]
    const report = await make(session, { emails, every: "month" })
    const { mail } = await mailed(session, report)
    const after = await now(session, report)
    const { from, to } = lastPeriod("month", Date.now())
    expect(after?.last).toEqual({ from, to, failed: 0, sent_at: expect.any(String) })
    expect(Date.parse(after?.next_at ?? "")).toBeGreaterThan(Date.now())
    const [year, month] = from.split("-")
    const days = `01/${month}/${year} a ${to.slice(8)}/${month}/${year}`
    expect(mail.subject).toBe(`Cobranças: Loja da Ana, ${days}`)
    expect(mail.text).toContain(`Cobranças de Loja da Ana, ${days}.`)
    const [one, other] = emails.map((email) => mailsTo(email))
    expect([one?.length, other?.length]).toEqual([1, 1])
    expect(one?.[0]?.text).not.toBe(other?.[0]?.text)
    // Due again, there is nothing to mail: the period had its mails.
    await makeDue(report)
    await until("the report to wait", async () => (await now(session, report))?.next_at === after?.next_at)
    expect(mailsTo(emails[0] ?? "")).toHaveLength(1)
  })

  it("a report is sent when it is asked for, with its last period, so often in an hour and no more", async () => {
    const { session, inTest } = await openSession({ name: "Loja da Ana" })
    const [email = "", rui = ""] = [newAddress(), newAddress()]
    const report = await make(session, { emails: [email, rui], every: "week" })
    const send = `${path}/${report.id}/send`
    for (const [client, id] of [
      [inTest, report.id],
      [(await openSession()).session, report.id],
      [session, "rpt_1"],
    ] as const) {
      expect((await client.send("POST", `${path}/${id}/send`)).status).toBe(404)
    }
    const asked = await session.send<Report>("POST", send)
    expect([asked.status, asked.body]).toEqual([202, { ...report, next_at: expect.any(String) }])
    expect(Math.abs(Date.parse(asked.body.next_at ?? "") - Date.now())).toBeLessThan(60_000)
    await until("both mails", async () => mailsTo(email).length + mailsTo(rui).length === 2)
    const { from, to } = lastPeriod("week", Date.now())
    await until("the end of the run", async () => (await now(session, report))?.last?.from === from)
    expect((await now(session, report))?.next_at).toBe(report.next_at)
    const [mail] = mailsTo(email)
    const days = [from, to].map((day) => day.split("-").toReversed().join("/"))
    expect(mail?.subject).toBe(`Cobranças: Loja da Ana, ${days.join(" a ")}`)

    for (let count = 1; count < limits.reportSendsPerHour; count++) {
      expect((await session.send("POST", send)).status).toBe(202)
      await until("the run's end", async () => (await now(session, report))?.next_at === report.next_at)
      expect(mailsTo(email)).toHaveLength(count + 1)
    }
    const refused = await session.send("POST", send)
    expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"])
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    const log = await session.get<{ readonly data: ReadonlyArray<{ resource_id: string; details: object }> }>(
      "/v1/me/audit?action=report.sent",
    )
    expect(log.body.data.map(({ resource_id, details }) => [resource_id, details])).toEqual(
      Array.from({ length: limits.reportSendsPerHour }, () => [report.id, { mode: "live" }]),
    )
  })

  it("a report that everyone has unsubscribed from is not sent", async () => {
    const { session } = await openSession()
    const report = await make(session)
    const { end } = await mailed(session, report)
    expect((await open(end, { method: "POST", body: "List-Unsubscribe=One-Click" })).status).toBe(200)
    const { status, body } = await session.send("POST", `${path}/${report.id}/send`)
    expect([status, body.error.code]).toEqual([409, "invalid_state"])
  })

  it("its headers let mail programs end it by one click, without a session", async () => {
    const { session } = await openSession()
    const [ana = "", rui = ""] = [newAddress(), newAddress()]
    const report = await make(session, { emails: [ana, rui] })
    const { mail, end, file } = await mailed(session, report, ana)
    expect(mail.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click")
    const link = /^<(\S+)>$/.exec(mail.headers["list-unsubscribe"] ?? "")?.[1] ?? ""
    expect(new URL(link).pathname).toBe(end)
    const page = await open(end, { accept: "text/html" })
    expect([page.status, page.text.includes("Parar de receber")]).toEqual([200, true])
    expect(page.headers.get("x-robots-tag")).toContain("noindex")
    expect((await now(session, report))?.emails).toEqual([ana, rui])
    const left = await open(end, { method: "POST", body: "List-Unsubscribe=One-Click" })
    expect(left.status).toBe(200)
    expect((await now(session, report))?.emails).toEqual([rui])
    expect((await open(end, { method: "POST", body: "List-Unsubscribe=One-Click" })).status).toBe(404)
    const log = await session.get<{ readonly data: ReadonlyArray<object> }>("/v1/me/audit?actor=recipient")
    expect(log.body.data).toEqual([
      expect.objectContaining({
        actor: { type: "recipient", id: null, name: null },
        ...{ ip_address: null, action: "report.left", resource_id: report.id },
        details: { mode: "live", email: ana.replace(/^c.*@/, "c***@") },
      }),
    ])
    expect((await open(end, { accept: "text/html" })).text).toContain("Não há o que cancelar")
    expect((await open(file)).status).toBe(200)
    await stage.redis("HDEL", `rpt:${tagOf(report.id)}:${report.id}`, "last_from")
    const before = mailsTo(rui).length
    await makeDue(report)
    await until("the second mail", () => mailsTo(rui).length > before)
    expect(mailsTo(ana)).toHaveLength(1)
    const last = new URL(
      /https?:\S+\/reports\/end\/\S+/.exec(mailsTo(rui).at(-1)?.text ?? "")?.[0] ?? "none:",
    )
    expect((await open(last.pathname, { method: "POST", body: "" })).status).toBe(200)
    expect(await now(session, report)).toMatchObject({ emails: [], next_at: null })
  })

  it("the link is the file of those days and of no others, private, until it ends or its report is deleted", async () => {
    const { session, seller } = await openSession()
    const charge = await paidCharge(seller.live, 12_900)
    const report = await make(session)
    const { file } = await mailed(session, report)
    const empty = await open(file)
    expect([empty.status, empty.text]).toEqual([200, ""])
    const today = dayOf(Date.now())
    const { key, hash } = await setDays(report, file, today)
    const found = await open(file)
    const own = await session.get(`/v1/me/transactions/export?format=ndjson&from=${today}&to=${today}`)
    expect(found.text).toBe(own.text)
    expect(found.text).toContain(charge.id)
    expect(found.headers.get("content-disposition")).toBe('attachment; filename="cobrancas-producao.ndjson"')
    expect(found.headers.get("cache-control")).toContain("no-store")
    expect(found.headers.get("x-robots-tag")).toBe("noindex, nofollow")
    expect(found.headers.get("referrer-policy")).toBe("no-referrer")
    expect((await open(file, { method: "POST" })).status).toBe(405)

    const kept = String(await stage.redis("HGET", key, hash))
    const lastsMillis = Number(kept.split(" ")[0]) - Date.now()
    expect(Math.abs(lastsMillis - limits.reportLinkDays * 86_400_000)).toBeLessThan(120_000)
    expect(Number(await stage.redis("PTTL", key))).toBeGreaterThan(lastsMillis - 60_000)
    await stage.redis("HSET", key, hash, kept.replace(/^\d+/, String(Date.now())))
    const ended = await open(file)
    expect([ended.status, JSON.parse(ended.text).error.code]).toEqual([404, "resource_not_found"])
    const page = await open(file, { accept: "text/html" })
    expect([page.status, page.text.includes("Este link não vale mais")]).toEqual([404, true])
    await stage.redis("HSET", key, hash, kept)
    expect((await open(file)).status).toBe(200)
    await session.send("DELETE", `${path}/${report.id}`)
    expect((await open(file)).status).toBe(404)
  })

  it.for([
    ["transactions", "csv", "text/csv"],
    ["transactions", "xlsx", "application/vnd.openxml"],
    ["refunds", "ndjson", "application/x-ndjson"],
    ["withdrawals", "csv", "text/csv"],
    ["statement", "ofx", "application/x-ofx"],
    ["statement", "xlsx", "application/vnd.openxml"],
  ] as const)("a report of %s comes as %s", async ([kind, format, type]) => {
    const { session } = await openSession()
    const report = await make(session, { kind, format })
    const { file } = await mailed(session, report)
    const { status, headers } = await open(file)
    expect([status, headers.get("content-type")?.startsWith(type)]).toEqual([200, true])
    expect(headers.get("content-disposition")).toContain(`.${format}"`)
  })

  it("nobody opens a file by a link that was changed, and a client tries so often and no more", async () => {
    const { session } = await openSession()
    const { file, end } = await mailed(session, await make(session))
    const token = file.split("/").at(-1) ?? ""
    const other = token.endsWith("A") ? "B" : "A"
    const wrong = [
      token.slice(0, -1) + other,
      token.slice(0, 26),
      `${token}A`,
      "x",
      end.split("/").at(-1) ?? "",
    ]
    for (const text of wrong) expect([text, (await open(`/reports/${text}`)).status]).toEqual([text, 404])
    const address = "203.0.113.77"
    /** Opens links from one address until it is refused: one more may be opened every two seconds. */
    const untilRefused = async (accept: string) => {
      for (let count = 0; ; count++) {
        const answer = await open("/reports/none", { address, accept })
        if (answer.status !== 404) return { count, answer }
        if (count > 4 * limits.reportFilesPerMinute) throw new Error("nothing is refused")
      }
    }
    const { count, answer } = await untilRefused("*/*")
    expect(count).toBeGreaterThanOrEqual(limits.reportFilesPerMinute)
    expect([answer.status, Number(answer.headers.get("retry-after")) > 0]).toEqual([429, true])
    expect((await untilRefused("text/html")).answer.text).toContain("Muitos downloads")
    expect((await open(file)).status).toBe(200)
  })

  it("an address that is refused for good counts as failed, and one that is refused for now is tried again", async () => {
    const { session } = await openSession()
    const [gone = "", busy = "", fine = ""] = [newAddress(), newAddress(), newAddress()]
    refusals.set(gone, 550).set(busy, 450)
    const report = await make(session, { emails: [gone, busy, fine] })
    await makeDue(report)
    const key = `rpt:${tagOf(report.id)}:${report.id}`
    await until("the first try to end", async () => (await stage.redis("HGET", key, "run_tries")) === "1")
    expect((await now(session, report))?.last).toBeNull()
    const waitsMillis = Date.parse((await now(session, report))?.next_at ?? "") - Date.now()
    expect(waitsMillis).toBeGreaterThan(0)
    expect(waitsMillis).toBeLessThanOrEqual(60_000)
    refusals.delete(busy)
    await mailed(session, report, busy)
    expect((await now(session, report))?.last?.failed).toBe(1)
    expect([gone, busy, fine].map((email) => mailsTo(email).length)).toEqual([0, 1, 1])
  })

  it("a service that is killed between two mails loses none and sends no mail again that it has noted", async () => {
    const { session } = await openSession()
    const [first = "", second = "", third = ""] = [newAddress(), newAddress(), newAddress()]
    const report = await make(session, { emails: [first, second, third] })
    const key = `rpt:${tagOf(report.id)}:${report.id}`
    stuckAt = second
    await makeDue(report)
    await until(
      "the first mail to be noted",
      async () => (await stage.redis("HGET", key, "run_done")) !== null,
    )
    await stage.service.kill9()
    stuckAt = ""
    await stage.service.restart()
    // Its lease has not ended yet: nobody goes on.
    expect(mailsTo(second)).toEqual([])
    await stage.redis("HSET", key, "lease", 1)
    await mailed(session, report, third)
    expect([first, second, third].map((email) => mailsTo(email).length)).toEqual([1, 1, 1])
    expect((await now(session, report))?.last?.failed).toBe(0)
  })
})
