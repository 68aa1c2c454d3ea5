import { hash } from "node:crypto"
import { Clock, Effect, Schedule } from "effect"
import { Identifiers } from "../../../actors/ports/identifiers.ts"
import { PaymentLinkStore, type StoredPaymentLink } from "../../../actors/ports/paymentLinkStore.ts"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { TransactionStore } from "../../../actors/ports/transactionStore.ts"
import { payeeOf } from "../../../actors/seller/decisions/payee.ts"
import {
  chargeOfLink,
  type LinkClosure,
  linkClosed,
  linkClosure,
} from "../../../actors/seller/decisions/paymentLinkDecisions.ts"
import { createTransaction } from "../../../actors/seller/operations/createTransaction.ts"
import { SellerActors } from "../../../actors/seller/sellerActor.ts"
import { sessionPrincipal } from "../../../actors/values/principal.ts"
import { chargeIdIn, parsePaymentLink } from "../../../actors/values/storedDocuments.ts"
import { ApiError, validationFailed } from "../../../schema/errors.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { PaymentLinkSettings } from "../../../schema/resources/paymentLink.ts"
import type { CreateTransaction } from "../../../schema/resources/transaction.ts"
import { clientOf } from "../../accounts/clientAddress.ts"
import { linkOfToken, PaymentUrls } from "../../payments/paymentUrls.ts"
import { clientAddress } from "../contract/forwardedFor.ts"
import { withinQuota } from "../contract/quota.ts"
import { makeClockWindows } from "../handlers/clockWindows.ts"
import { createReply } from "../handlers/idempotent.ts"
import { blockListOf } from "../server/addressList.ts"
import { documentRoute } from "../server/compressed.ts"
import { headerAmong } from "../server/headerValues.ts"
import { type Language, languageOf } from "../server/language.ts"
import type { Reply, RequestFailure, TextReply } from "../server/reply.ts"
import type { Incoming, Route } from "../server/route.ts"
import { busyPage } from "./busyPage.ts"
import { checkForm, emptyForm, type LinkField, type LinkForm, readForm } from "./linkForm.ts"
import { linkPage, type NoForm, noFormPage } from "./linkPage.ts"
import { type PageFiles, pageHeaders, payPolicy, policyOf } from "./page.ts"

/** A link that was asked for, with what it says. */
interface Found {
  readonly link: StoredPaymentLink
  readonly settings: PaymentLinkSettings
  readonly closure: LinkClosure | undefined
}

const noLink = new ApiError({
  code: "resource_not_found",
  message: "This address leads to no payment link. Check that it is complete.",
})

const html = (status: number, language: Language, text: string, policy: string): TextReply => ({
  status,
  text,
  contentType: "text/html; charset=utf-8",
  headers: pageHeaders(language, policy),
})

/** Makes a function that finds the link of a token, and why it is closed. */
const makeFind = Effect.gen(function* () {
  const store = yield* PaymentLinkStore
  const { shownAt } = yield* makeClockWindows
  return Effect.fnUntraced(function* (token: string) {
    const id = linkOfToken(token)
    const link = id === undefined ? undefined : yield* store.load(id)
    if (link === undefined) return undefined
    const nowMillis = yield* shownAt(link, yield* Clock.currentTimeMillis)
    const settings = parsePaymentLink(link.document)
    const found: Found = { link, settings, closure: linkClosure(link, settings, nowMillis) }
    return found
  })
})

/** Makes a function that renders the form of a link, with what was typed and which fields are wrong. */
const makeFormReply = Effect.fnUntraced(function* (files: PageFiles) {
  const sellers = yield* SellerStore
  return Effect.fnUntraced(function* (
    { link, settings }: Found,
    language: Language,
    form: LinkForm,
    wrong: ReadonlyArray<LinkField>,
  ) {
    const seller = yield* sellers.get(link.sellerId)
    const shown = {
      settings,
      payee: seller === undefined ? { name: "", legalName: undefined } : payeeOf(seller),
      brand: { logo: seller?.brandLogo, color: seller?.brandColor },
    }
    const page = linkPage(shown, language, files, form, wrong)
    return html(wrong.length === 0 ? 200 : 400, language, page, policyOf(shown, "'self'"))
  })
})

/** How long a form that was sent twice waits for what the first one makes: as long as a bank may take. */
const waitsForFirst = { schedule: Schedule.spaced("500 millis"), times: 26 } as const

/**
 * Makes a function that creates the charge of a checked form, once however often the form is sent. It returns the charge's id, undefined
 * where none was made. A closed link makes none, but still leads to a charge that it made before.
 */
const makeCharge = Effect.gen(function* () {
  const actors = yield* SellerActors
  const store = yield* TransactionStore
  const identifiers = yield* Identifiers
  return Effect.fnUntraced(function* (
    { link, settings, closure }: Found,
    key: string,
    { amount, customer }: { readonly amount: number; readonly customer: CreateTransaction["customer"] },
    requestId: string,
  ) {
    const body = chargeOfLink(settings, amount, customer)
    // Whoever goes back and types something else wants another charge.
    const fingerprint = hash("sha256", JSON.stringify(body), "base64url")
    const principal = sessionPrincipal(link.sellerId, link.mode, link.id)
    const idempotency = {
      route: "link-charges",
      key: `${link.id}:${key}:${fingerprint}`,
      fingerprint,
      executionId: identifiers.alphanumeric(16),
    }
    const asked = { principal, body, idempotency, requestId, paymentLinkId: link.id }
    if (closure !== undefined) {
      const earlier = yield* store.peek(principal, idempotency)
      return earlier.kind === "replay" && earlier.status === 201 ? chargeIdIn(earlier.body) : undefined
    }
    const made = Effect.flatMap(actors.ask(createTransaction, asked), (answer) => createReply(answer))
    const reply = yield* Effect.retry(made, {
      ...waitsForFirst,
      while: (error) => error._tag === "ApiError" && error.code === "idempotency_in_progress",
    })
    return reply.status === 201 ? chargeIdIn(reply.body) : undefined
  })
})

/** The buckets that a charge through a link takes from. */
const bucketsOf = ({ link }: Found, client: string) => [
  {
    policy: "link-client",
    bucket: {
      partition: partitionOfId(link.sellerId) ?? 0,
      name: `link-client:${client}`,
      capacity: limits.paymentLinkChargesPerClientMax,
      windowMillis: limits.paymentLinkClientWindowMillis,
    },
    message: "Too many charges were made from this address. Wait as long as Retry-After says.",
  },
  {
    policy: "link",
    bucket: {
      partition: partitionOfId(link.sellerId) ?? 0,
      name: `link:${link.id}`,
      capacity: limits.paymentLinkChargesPerMinuteMax,
      windowMillis: 60_000,
    },
    message: "Too many charges were made through this link. Wait as long as Retry-After says.",
  },
]

const noFormOf = (error: ApiError): NoForm => (error.code === "rate_limited" ? "tooMany" : "failed")

const headerOf = ({ headers }: Incoming, name: string): string => headerAmong(headers, name)

/** The form's text, or why it is none. */
const formTextOf = ({ body, contentType }: Incoming) => {
  if (typeof body === "string") {
    return new ApiError({ code: "payload_too_large", message: "The form is too large." })
  }
  if (!contentType.startsWith("application/x-www-form-urlencoded")) {
    return new ApiError({
      code: "unsupported_media_type",
      message: "Send the form as application/x-www-form-urlencoded.",
    })
  }
  return body.toString("utf8")
}

/**
 * The routes of the pages of payment links (docs/contract/payment-links.md#the-page). Browsers get pages, whoever does not ask for
 * `text/html` gets errors as JSON.
 */
export const makeLinkRoutes = Effect.fnUntraced(function* (
  files: PageFiles,
  trustedProxies: ReadonlyArray<string>,
) {
  const find = yield* makeFind
  const formReply = yield* makeFormReply(files)
  const charge = yield* makeCharge
  const limiter = yield* RateLimiter
  const identifiers = yield* Identifiers
  const urls = yield* PaymentUrls
  const proxies = blockListOf(trustedProxies)
  const newKey = () => identifiers.alphanumeric(32)

  const refuse = (incoming: Incoming, why: NoForm, error: ApiError): Effect.Effect<Reply, ApiError> => {
    if (!headerOf(incoming, "accept").includes("text/html")) return Effect.fail(error)
    const language = languageOf(headerOf(incoming, "accept-language"))
    const page = html(error.status, language, noFormPage(why, language, files), payPolicy("'self'"))
    const retry = error.retryAfterSeconds
    if (retry === undefined) return Effect.succeed(page)
    return Effect.succeed({
      ...page,
      headers: [...(page.headers ?? []), ["Retry-After", String(retry)]],
    })
  }

  const show = Effect.fnUntraced(function* (incoming: Incoming): Effect.fn.Return<Reply, RequestFailure> {
    const found = yield* find(incoming.params[0] ?? "")
    if (found === undefined) return yield* refuse(incoming, "unknown", noLink)
    const { closure } = found
    if (closure !== undefined) return yield* refuse(incoming, closure, linkClosed(closure))
    const language = languageOf(headerOf(incoming, "accept-language"))
    return yield* formReply(found, language, emptyForm(newKey()), [])
  })

  /** Makes the charge of a form that is right, and leads to its page. */
  const pay = Effect.fnUntraced(function* (
    incoming: Incoming,
    found: Found,
    key: string,
    checked: Parameters<typeof charge>[2],
  ): Effect.fn.Return<Reply, RequestFailure> {
    const address = clientAddress(incoming.remoteAddress, headerOf(incoming, "x-forwarded-for"), proxies)
    const made = Effect.gen(function* () {
      const id = yield* charge(found, key, checked, incoming.requestId)
      if (id === undefined) {
        // The bank refused, or somebody took the last place meanwhile.
        const { closure } = (yield* find(incoming.params[0] ?? "")) ?? found
        if (closure !== undefined) return yield* refuse(incoming, closure, linkClosed(closure))
        const error = new ApiError({ code: "acquirer_error", message: "The charge was not made. Try again." })
        return yield* refuse(incoming, "failed", error)
      }
      const location = `../pay/${urls.tokenOf(id)}`
      return { status: 303, body: "", headers: [["Location", location]] } as const
    })
    return yield* withinQuota(limiter, bucketsOf(found, clientOf(address)), made)
  })

  const submit = Effect.fnUntraced(function* (incoming: Incoming): Effect.fn.Return<Reply, RequestFailure> {
    const text = formTextOf(incoming)
    if (text instanceof ApiError) return yield* text
    const found = yield* find(incoming.params[0] ?? "")
    if (found === undefined) return yield* refuse(incoming, "unknown", noLink)
    const form = readForm(text, newKey())
    const checked = checkForm(form, found.settings)
    if (checked.kind === "wrong") {
      const [first = "name"] = checked.wrong
      if (!headerOf(incoming, "accept").includes("text/html")) {
        return yield* validationFailed(first, `${first} is missing or not valid.`)
      }
      const language = languageOf(headerOf(incoming, "accept-language"))
      return yield* formReply(found, language, form, checked.wrong)
    }
    return yield* pay(incoming, found, form.key, checked).pipe(
      Effect.catchTag("ApiError", (error) => refuse(incoming, noFormOf(error), error)),
    )
  })

  const context = yield* Effect.context<never>()
  const run = Effect.runForkWith(context)
  const base: Route = {
    ...documentRoute("/l/:token", Effect.never),
    paramCount: 1,
    takesAllHeaders: true,
    errorPage: busyPage,
    start: (incoming) => run(show(incoming)),
  }
  const routes: ReadonlyArray<Route> = [
    base,
    {
      ...base,
      method: "POST",
      takesBody: true,
      // It may wait for the acquirer.
      routeClass: "outside",
      start: (incoming) => run(submit(incoming)),
    },
  ]
  return routes
})
