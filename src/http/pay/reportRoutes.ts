import { Clock, Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import { ReportStore, type StoredReport } from "../../../actors/ports/reportStore.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { sessionPrincipal } from "../../../actors/values/principal.ts"
import type { ReportDays } from "../../../actors/values/reportPeriods.ts"
import { ApiError } from "../../../schema/errors.ts"
import { type StatementFormat, tableFormats } from "../../../schema/exportFormats.ts"
import { limits } from "../../../schema/limits.ts"
import { ReportRecipients } from "../../accounts/reports/reportRecipients.ts"
import { Reports } from "../../accounts/reports/reports.ts"
import { Settings } from "../../config/settings.ts"
import { clientAddress } from "../contract/forwardedFor.ts"
import { limitsByAddress } from "../contract/guessLimits.ts"
import { withinQuota } from "../contract/quota.ts"
import { escapeHtml } from "../docs/html.ts"
import { makeChargeFiles } from "../handlers/chargeExport.ts"
import type { OpenFile } from "../handlers/fileStream.ts"
import { makeListFiles } from "../handlers/listExports.ts"
import { withoutKey } from "../handlers/page.ts"
import { makeStatementFiles } from "../handlers/statement.ts"
import { blockListOf } from "../server/addressList.ts"
import { documentRoute } from "../server/compressed.ts"
import { headerAmong } from "../server/headerValues.ts"
import { languageOf } from "../server/language.ts"
import type { Reply, RequestFailure, StreamReply } from "../server/reply.ts"
import type { Incoming, Route } from "../server/route.ts"
import { busyPage } from "./busyPage.ts"
import { documentHtml, iconOf, type PageFiles, pageHeaders, payPolicy, plainPage } from "./page.ts"
import { type ReportPageTexts, reportPageTexts } from "./reportPageTexts.ts"

/** Does not repeat the token. */
const noFile = new ApiError({
  code: "resource_not_found",
  message: "This link leads to no report, or has expired.",
})

const nothingToEnd = new ApiError({
  code: "resource_not_found",
  message: "This link unsubscribes nobody. It may have been used before.",
})

/** Files of reports are found by no search engine, and their links are told to nobody. */
const privateHeaders = [
  ["Referrer-Policy", "no-referrer"],
  ["X-Robots-Tag", "noindex, nofollow"],
] as const

const isTable = (format: StatementFormat): format is Exclude<StatementFormat, "ofx"> =>
  tableFormats.some((known) => known === format)

/** Makes the function that opens a report's file of some days. `admitted` is asked before each page of it. */
const makeReportFile = Effect.fnUntraced(function* (openFile: OpenFile) {
  const charges = yield* makeChargeFiles(openFile)
  const lists = yield* makeListFiles(openFile)
  const statements = yield* makeStatementFiles(openFile)

  return <E extends RequestFailure>(
    { id, sellerId, mode, kind, format, locale }: StoredReport,
    { from, to }: ReportDays,
    admitted: Effect.Effect<void, E>,
  ) => {
    const principal = sessionPrincipal(sellerId, mode, id)
    if (kind === "statement" || !isTable(format)) {
      return withoutKey(statements.answerExport({ principal, query: { from, to, format, locale } }, admitted))
    }
    const query = { from, to, format, locale }
    switch (kind) {
      case "transactions":
        return withoutKey(charges.answer(principal, query, admitted))
      case "refunds":
        return withoutKey(lists.answerRefunds(principal, query, admitted))
      case "withdrawals":
        return withoutKey(lists.answerWithdrawals(principal, query, admitted))
    }
  }
})

/** Makes the function that finds what a token of a mail leads to; fails where there is nothing, or no longer. */
const makeFind = Effect.gen(function* () {
  const store = yield* ReportStore
  const sellers = yield* SellerStore
  const recipients = yield* ReportRecipients
  return Effect.fnUntraced(function* (token: string) {
    const named = recipients.readToken(token)
    const found = named && (yield* store.findLink(named.reportId, recipients.digest(named.secret)))
    if (found === undefined || found.link.endsMillis <= (yield* Clock.currentTimeMillis)) return yield* noFile
    if ((yield* sellers.get(found.report.sellerId)) === undefined) return yield* noFile
    return found
  })
})

const acceptsHtml = ({ headers }: Incoming): boolean => headerAmong(headers, "accept").includes("text/html")

/** Makes the answers in HTML: sentences, and the question whether to end a report. */
const makePages = (files: PageFiles) => {
  const below = { script: `../${files.script}`, style: `../${files.style}` }
  const html = (incoming: Incoming, status: number, text: string): Reply => ({
    status,
    text,
    contentType: "text/html; charset=utf-8",
    headers: pageHeaders(languageIn(incoming), payPolicy("'self'", "'self'")),
  })
  const languageIn = ({ headers }: Incoming) => languageOf(headerAmong(headers, "accept-language"))
  return {
    says: (
      incoming: Incoming,
      status: number,
      name: "noFile" | "tooMany" | "ended" | "nothingToEnd",
      depth: "file" | "end",
    ): Reply => {
      const language = languageIn(incoming)
      const words = reportPageTexts[language][name]
      const page = plainPage(
        words,
        language,
        depth === "file" ? files : below,
        name === "ended" ? "paid" : "unknown",
      )
      return html(incoming, status, page)
    },
    asks: (incoming: Incoming): Reply => {
      const language = languageIn(incoming)
      const { heading, sentence, button }: ReportPageTexts["end"] = reportPageTexts[language].end
      const form = `<form method="post"><button type="submit">${escapeHtml(button)}</button></form>`
      const body = `<main><div class="card alone"><section class="action"><div class="outcome" data-tone="unknown">${iconOf("unknown")}<h1>${escapeHtml(heading)}</h1><p>${escapeHtml(sentence)}</p>${form}</div></section></div></main>`
      return html(incoming, 200, documentHtml(language, heading, below, body))
    },
  }
}

/**
 * The routes that links of mailed reports lead to (docs/contract/reports.md#links): `/reports/{token}`, the file, and
 * `/reports/end/{token}`, which ends the mails, also by one click of a mail program (RFC 8058). `files` are named from `/reports`.
 */
export const makeReportRoutes = Effect.fnUntraced(function* (
  files: PageFiles,
  trustedProxies: ReadonlyArray<string>,
  openFile: OpenFile,
) {
  const find = yield* makeFind
  const fileOf = yield* makeReportFile(openFile)
  const reports = yield* Reports
  const limiter = yield* RateLimiter
  const { partitions } = yield* Settings
  const pages = makePages(files)
  const proxies = blockListOf(trustedProxies)

  const limited = <E extends RequestFailure>(incoming: Incoming, answer: Effect.Effect<Reply, E>) => {
    const forwarded = headerAmong(incoming.headers, "x-forwarded-for")
    const address = clientAddress(incoming.remoteAddress, forwarded, proxies)
    const buckets = limitsByAddress("report-files", address, limits.reportFilesPerMinute, partitions)
    return withinQuota(limiter, buckets, answer)
  }

  const send = Effect.fnUntraced(function* (incoming: Incoming): Effect.fn.Return<Reply, RequestFailure> {
    const [token = ""] = incoming.params
    const { report, link } = yield* find(token)
    const file: StreamReply = yield* fileOf(report, link, Effect.asVoid(find(token)))
    return { ...file, headers: [...(file.headers ?? []), ...privateHeaders] }
  })

  /** People get a page in place of an error that they can do something about. */
  const orPage = (incoming: Incoming, answer: Effect.Effect<Reply, RequestFailure>) =>
    Effect.catchTag(answer, "ApiError", (error): Effect.Effect<Reply, ApiError> => {
      if (!acceptsHtml(incoming)) return Effect.fail(error)
      if (error.code === "resource_not_found") {
        return Effect.succeed(pages.says(incoming, 404, "noFile", "file"))
      }
      return error.code === "rate_limited"
        ? Effect.succeed(pages.says(incoming, 429, "tooMany", "file"))
        : Effect.fail(error)
    })

  const ask = Effect.fnUntraced(function* (incoming: Incoming): Effect.fn.Return<Reply, RequestFailure> {
    if (yield* reports.isEndable(incoming.params[0] ?? "")) return pages.asks(incoming)
    return pages.says(incoming, 404, "nothingToEnd", "end")
  })

  const end = Effect.fnUntraced(function* (incoming: Incoming): Effect.fn.Return<Reply, RequestFailure> {
    if (yield* reports.end(incoming.params[0] ?? "")) return pages.says(incoming, 200, "ended", "end")
    return acceptsHtml(incoming) ? pages.says(incoming, 404, "nothingToEnd", "end") : yield* nothingToEnd
  })

  const run = Effect.runForkWith(yield* Effect.context<never>())
  const base: Route = {
    ...documentRoute("/reports/:token", Effect.never),
    paramCount: 1,
    takesAllHeaders: true,
    errorPage: busyPage,
  }
  const routes: ReadonlyArray<Route> = [
    { ...base, start: (incoming) => run(orPage(incoming, limited(incoming, send(incoming)))) },
    { ...base, path: "/reports/end/:token", start: (incoming) => run(limited(incoming, ask(incoming))) },
    {
      ...base,
      method: "POST",
      path: "/reports/end/:token",
      takesBody: true,
      start: (incoming) => run(limited(incoming, end(incoming))),
    },
  ]
  return routes
})
