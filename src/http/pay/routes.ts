import { readFileSync } from "node:fs"
import { type Context, Effect } from "effect"
import { SellerClock } from "../../../actors/ports/sellerClock.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { type StoredTransaction, TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { approvedNameOf, payeeOf, receiptPayeeOf } from "../../../actors/seller/decisions/payee.ts"
import { parseCharge } from "../../../actors/values/storedDocuments.ts"
import { ApiError } from "../../../schema/errors.ts"
import { clientOf } from "../../accounts/clientAddress.ts"
import { firstStatusFrames, isFinal } from "../../feed/frames.ts"
import { FeedHub } from "../../feed/hub.ts"
import { PaymentUrls } from "../../payments/paymentUrls.ts"
import { ReceiptPdf } from "../../payments/receipts/receiptPdf.ts"
import { Receipts } from "../../payments/receipts/receipts.ts"
import { merchantNameOf } from "../../pixCode/bankCode.ts"
import { encodeQrPngBase64 } from "../../pixCode/qrPng.ts"
import { clientAddress } from "../contract/forwardedFor.ts"
import type { OpenFile } from "../handlers/fileStream.ts"
import { noReceipt, pdfReply } from "../handlers/receipts.ts"
import { blockListOf } from "../server/addressList.ts"
import { compress, compressedRoute, documentRoute, keptForEver } from "../server/compressed.ts"
import { headerAmong } from "../server/headerValues.ts"
import { type Language, languageOf } from "../server/language.ts"
import type { Reply, RequestFailure, TextReply } from "../server/reply.ts"
import type { Incoming, Route } from "../server/route.ts"
import { busyPage } from "./busyPage.ts"
import { makeLinkRoutes } from "./linkRoutes.ts"
import {
  chargePage,
  type PageFiles,
  pageHeaders,
  payPolicy,
  policyOf,
  type ShownCharge,
  unknownPage,
} from "./page.ts"
import { noReceiptPage, receiptPage, receiptPolicy } from "./receiptPage.ts"
import { makeReportRoutes } from "./reportRoutes.ts"

const plainPolicy = payPolicy("'self'")

const pageReply = (status: number, language: Language, text: string, policy = plainPolicy): TextReply => ({
  status,
  text,
  contentType: "text/html; charset=utf-8",
  headers: pageHeaders(language, policy),
})

const getRoute = (path: string, rest: Pick<Route, "headerNames" | "paramCount" | "start">): Route => ({
  ...documentRoute(path, Effect.never),
  ...rest,
})

/** A file that pages load, by a path that names its bytes: whoever has it never asks again. */
const fileRoute = (name: string, contentType: string) => {
  const file = compress(contentType, readFileSync(new URL(`files/${name}`, import.meta.url)))
  const path = `files/${file.tag}/${name}`
  const route = compressedRoute(`/pay/${path}`, Effect.succeed(file), keptForEver)
  return { path, route }
}

/** No such charge; does not repeat the token. */
const noCharge = new ApiError({
  code: "resource_not_found",
  message: "This link leads to no charge. Check that it is complete.",
})

const makeShown = Effect.gen(function* () {
  const sellers = yield* SellerStore
  const clock = yield* SellerClock

  /** What the page of a charge shows. */
  return Effect.fnUntraced(function* ({ document, sellerId, mode, status }: StoredTransaction) {
    const charge = parseCharge(document)
    const offset = mode === "test" ? clock.offsetMillis(sellerId) : Effect.succeed(0)
    const [seller, offsetMillis] = yield* Effect.all([sellers.get(sellerId), offset], { concurrency: 2 })
    const shown: ShownCharge = {
      status,
      mode,
      amount: charge.amount,
      payee: seller === undefined ? { name: "", legalName: undefined } : payeeOf(seller),
      receiptPayee: seller === undefined ? "" : receiptPayeeOf(seller),
      reference: charge.show_on_page ? (charge.reference ?? undefined) : undefined,
      description: charge.show_on_page ? (charge.description ?? undefined) : undefined,
      returnUrl: charge.return_url ?? undefined,
      endToEndId: charge.end_to_end_id ?? undefined,
      bankName: merchantNameOf(charge.pix.payload),
      isBankNameOurs: seller !== undefined && approvedNameOf(seller) === undefined,
      brand: { logo: seller?.brandLogo, color: seller?.brandColor },
      payload: charge.pix.payload,
      picture: encodeQrPngBase64(charge.pix.payload),
      expiresAtMillis: Date.parse(charge.expires_at),
      paidAtMillis: charge.paid_at === null ? undefined : Date.parse(charge.paid_at),
      nowMillis: (yield* Effect.clockWith((now) => now.currentTimeMillis)) + offsetMillis,
    }
    return shown
  })
})

/** Finds a token's charge; undefined for a token that we did not make, without asking the store, and for a charge that is gone. */
const makeFind = Effect.gen(function* () {
  const urls = yield* PaymentUrls
  const store = yield* TransactionStore
  return (token: string) => {
    const id = urls.chargeOf(token)
    return id === undefined ? Effect.succeed(undefined) : store.load(id)
  }
})

/** `GET /pay/{token}` (docs/contract/payment-page.md#the-page). */
const makePage = Effect.fnUntraced(function* (files: PageFiles) {
  const find = yield* makeFind
  const shownOf = yield* makeShown
  return Effect.fnUntraced(function* ({
    params: [token = ""],
    headers: [accepted = ""],
  }: Incoming): Effect.fn.Return<TextReply, RequestFailure> {
    const language = languageOf(accepted)
    const charge = yield* find(token)
    if (charge === undefined) return pageReply(404, language, unknownPage(language, files))
    const shown = yield* shownOf(charge)
    const page = chargePage(shown, language, files, token)
    return pageReply(200, language, page, policyOf(shown))
  })
})

/** `GET /pay/{token}/events` (docs/contract/payment-page.md#stream). */
const makeStream = Effect.fnUntraced(function* (trustedProxies: ReadonlyArray<string>) {
  const find = yield* makeFind
  const store = yield* TransactionStore
  const feedHub = yield* FeedHub
  const proxies = blockListOf(trustedProxies)
  return Effect.fnUntraced(function* ({
    params: [token = ""],
    headers,
    remoteAddress,
  }: Incoming): Effect.fn.Return<Reply, RequestFailure> {
    const address = clientAddress(remoteAddress, headerAmong(headers, "x-forwarded-for"), proxies)
    const charge = yield* find(token)
    if (charge === undefined) return yield* noCharge
    const { id, sellerId, mode, status } = charge
    if (isFinal(status)) {
      return {
        stream: (connection) => {
          connection.write(firstStatusFrames[status])
          connection.end()
        },
      }
    }
    const stream = yield* feedHub.follow({
      feed: { sellerId, mode },
      chargeId: id,
      client: clientOf(address),
      readStatus: Effect.map(store.load(id), (found) => found?.status),
    })
    return { stream }
  })
})

/** A receipt's answer to whoever asked for one that there is not. */
const missing = (charge: StoredTransaction | undefined) =>
  charge === undefined ? noCharge : noReceipt("charge")

/** `GET /pay/{token}/receipt` (docs/contract/receipts.md#payments). */
const makeReceiptPage = Effect.fnUntraced(function* (files: PageFiles) {
  const find = yield* makeFind
  const receipts = yield* Receipts
  return Effect.fnUntraced(function* ({
    params: [token = ""],
    headers: [accepted = "", accept = ""],
  }: Incoming): Effect.fn.Return<TextReply, RequestFailure> {
    const language = languageOf(accepted)
    const charge = yield* find(token)
    const receipt = charge === undefined ? undefined : yield* receipts.ofCharge(charge, language)
    if (receipt !== undefined) {
      return pageReply(200, language, receiptPage(receipt, token, files), receiptPolicy(receipt))
    }
    if (!accept.toLowerCase().includes("text/html")) return yield* missing(charge)
    const [status, reason] = charge === undefined ? ([404, "unknown"] as const) : ([409, "unpaid"] as const)
    return pageReply(status, language, noReceiptPage(reason, language, files))
  })
})

/** `GET /pay/{token}/receipt.pdf` (docs/contract/receipts.md#payments). */
const makeReceiptFile = Effect.gen(function* () {
  const find = yield* makeFind
  const receipts = yield* Receipts
  const { write } = yield* ReceiptPdf
  return Effect.fnUntraced(function* ({
    params: [token = ""],
    headers: [accepted = ""],
  }: Incoming): Effect.fn.Return<TextReply, RequestFailure> {
    const language = languageOf(accepted)
    const charge = yield* find(token)
    const receipt = charge === undefined ? undefined : yield* receipts.ofCharge(charge, language)
    if (receipt === undefined) return yield* missing(charge)
    const { headers = [], ...reply } = pdfReply(yield* write(receipt), receipt)
    return {
      ...reply,
      headers: [
        ...headers,
        ["Vary", "Accept-Language"],
        ["Referrer-Policy", "no-referrer"],
        ["X-Robots-Tag", "noindex, nofollow"],
      ],
    }
  })
})

/**
 * The routes of payment pages (docs/contract/payment-page.md), and of what mailed reports lead to. `trustedProxies`: TRUSTED_PROXIES;
 * `openFile` opens all files of the process.
 */
export const paymentRoutes = Effect.fnUntraced(function* (
  trustedProxies: ReadonlyArray<string>,
  openFile: OpenFile,
) {
  const script = fileRoute("pay.js", "text/javascript; charset=utf-8")
  const style = fileRoute("pay.css", "text/css; charset=utf-8")
  const page = yield* makePage({ script: script.path, style: style.path })
  const stream = yield* makeStream(trustedProxies)
  const receipt = yield* makeReceiptPage({ script: script.path, style: style.path })
  const receiptFile = yield* makeReceiptFile
  const context: Context.Context<never> = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  const routes: ReadonlyArray<Route> = [
    {
      ...getRoute("/pay/:token", {
        headerNames: ["accept-language"],
        paramCount: 1,
        start: (incoming) => run(page(incoming)),
      }),
      errorPage: busyPage,
    },
    {
      ...getRoute("/pay/:token/events", {
        headerNames: [],
        paramCount: 1,
        start: (incoming) => run(stream(incoming)),
      }),
      takesAllHeaders: true,
      streams: true,
    },
    {
      ...getRoute("/pay/:token/receipt", {
        headerNames: ["accept-language", "accept"],
        paramCount: 1,
        start: (incoming) => run(receipt(incoming)),
      }),
      errorPage: busyPage,
    },
    getRoute("/pay/:token/receipt.pdf", {
      headerNames: ["accept-language"],
      paramCount: 1,
      start: (incoming) => run(receiptFile(incoming)),
    }),
    script.route,
    style.route,
    ...(yield* makeReportRoutes(
      { script: `../pay/${script.path}`, style: `../pay/${style.path}` },
      trustedProxies,
      openFile,
    )),
    ...(yield* makeLinkRoutes(
      { script: `../pay/${script.path}`, style: `../pay/${style.path}` },
      trustedProxies,
    )),
  ]
  return routes
})
