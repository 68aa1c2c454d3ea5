import { Clock, Effect } from "effect"
import {
  type Acquirer,
  type AcquirerBooks,
  AcquirerRefused,
  AcquirerUnavailable,
  type ChargeReport,
  type RefundAnswer,
  type RefundReport,
  type RefundRequest,
} from "../../../actors/ports/acquirer.ts"
import { RefundStore } from "../../../actors/ports/refundStore.ts"
import type { Principal } from "../../../actors/values/principal.ts"
import { acquirerRefundIdOf } from "../../../schema/ids.ts"
import type { CreateRefund, Refund } from "../../../schema/resources/refund.ts"
import type { CreateTransaction } from "../../../schema/resources/transaction.ts"
import { noNews, silentAcquirer } from "./acquirer.ts"
import { type Process, type ProcessOptions, startProcess } from "./process.ts"
import { settle } from "./settle.ts"
import { createCharge, openShop, type ShopOptions } from "./shop.ts"

let count = 0
const unique = (what: string): string => `${what}-of-refund-${++count}`

/** Creates a charge that is paid at once, by default of 1,000 centavos; returns its id. */
export const paidCharge = (
  process: Process,
  owner: Principal,
  body: Partial<CreateTransaction> = { amount: 1_000 },
) =>
  Effect.gen(function* () {
    const { id } = yield* createCharge(process, owner, { body })
    yield* process.commands.simulateOutcome(id, "paid")
    return id
  })

export interface RefundOptions {
  readonly body?: CreateRefund
  /** The `Idempotency-Key`; by default a new one. */
  readonly key?: string
  readonly origin?: "seller" | "operator"
}

/** Asks for a refund, as the HTTP front end does; by default of all that is left. */
export const requestRefund = (
  process: Process,
  owner: Principal,
  transactionId: string,
  { body = {}, key, origin = "seller" }: RefundOptions = {},
) =>
  Effect.suspend(() =>
    process.commands.createRefund({
      ...{ principal: owner, transactionId, body, origin },
      idempotency: {
        route: "refunds",
        key: key ?? unique("key"),
        fingerprint: `fingerprint of ${JSON.stringify(body)}`,
        executionId: unique("execution"),
      },
      requestId: unique("req"),
    }),
  )

/** Creates a refund and returns it as answered; dies if it was not created. */
export const refund = (
  process: Process,
  owner: Principal,
  transactionId: string,
  options: RefundOptions = {},
) =>
  Effect.flatMap(requestRefund(process, owner, transactionId, options), (answer) =>
    answer.kind === "answered" && answer.status === 201
      ? Effect.succeed(JSON.parse(answer.body) as Refund)
      : Effect.die(new Error(`no refund: ${JSON.stringify(answer)}`)),
  )

/** A refund as it is stored now. */
export const refundNow = (id: string) =>
  Effect.gen(function* () {
    const stored = yield* (yield* RefundStore).load(id)
    if (stored === undefined) return yield* Effect.die(new Error(`no refund ${id}`))
    return JSON.parse(stored.document) as Refund
  })

/** All refunds of a charge, oldest first. */
export const refundsOf = (owner: Principal, transactionId: string) =>
  Effect.gen(function* () {
    const page = { ...{ status: undefined, fromMillis: undefined, toMillis: undefined, beforeId: undefined } }
    const found = yield* (yield* RefundStore).list(owner, { ...page, transactionId, limit: 10_000 })
    if ("kind" in found) return yield* Effect.die(new Error(found.kind))
    return found.map(({ document }) => JSON.parse(document) as Refund).reverse()
  })

export const processing = { status: "processing" } as const
export const done = { status: "done", returnId: "D-of-the-bank" } as const
export const failed = { status: "failed", failureCode: "AM09", failureReason: "too much" } as const
export const unknown = { status: "unknown" } as const
export const refused = new AcquirerRefused({ reason: "out of time" })
export const away = new AcquirerUnavailable({ operation: "refund", reason: "the connection was cut" })

type Word = Omit<Partial<RefundReport>, "status"> & { readonly status: RefundAnswer["status"] }

/** How a bank responds to refunds and queries; `call` is the number of the call, from 0. */
export interface RefundScript {
  readonly send?: (call: number) => Effect.Effect<Word, AcquirerRefused | AcquirerUnavailable>
  readonly query?: (call: number) => Effect.Effect<Word, AcquirerUnavailable>
  /** What it says of the charge, whose transfer is given. */
  readonly report?: (endToEndId: string) => ChargeReport
  /** By default it keeps none. */
  readonly books?: AcquirerBooks
}

/** A remote acquirer that responds to refunds as scripted and records when it was called. */
export const makeRefundBank = ({
  send = () => Effect.succeed(processing),
  query = () => Effect.succeed(processing),
  report = () => noNews,
  books,
}: RefundScript) => {
  const sent: Array<RefundRequest & { readonly atMillis: number }> = []
  const asked: Array<RefundRequest & { readonly atMillis: number }> = []
  const answerTo = ({ refundId: id, amount }: RefundRequest, word: Word) =>
    word.status === "unknown"
      ? ({ status: "unknown" } as const)
      : ({ id, amount, kind: "refund", ...word } as RefundReport)
  const acquirer: Acquirer = {
    ...silentAcquirer,
    books,
    queryCharge: ({ endToEndId }) => Effect.sync(() => report(endToEndId ?? "")),
    refund: (request) =>
      Effect.gen(function* () {
        sent.push({ ...request, atMillis: yield* Clock.currentTimeMillis })
        return answerTo(request, yield* send(sent.length - 1)) as RefundReport
      }),
    queryRefund: (request) =>
      Effect.gen(function* () {
        asked.push({ ...request, atMillis: yield* Clock.currentTimeMillis })
        return answerTo(request, yield* query(asked.length - 1))
      }),
  }
  return { acquirer, sent, asked, askedAtMillis: () => asked.map(({ atMillis }) => atMillis) }
}

/** A live refund of 400 of a charge's 1,000 centavos, which is sent to the scripted bank at once. */
export const openRefund = (
  script: RefundScript,
  shopOptions: ShopOptions = {},
  processOptions: Omit<ProcessOptions, "acquirer"> = {},
) =>
  Effect.gen(function* () {
    const bank = makeRefundBank(script)
    const shop = yield* openShop(shopOptions)
    const process = yield* startProcess({ ...processOptions, acquirer: bank.acquirer })
    const transactionId = yield* paidCharge(process, shop.live)
    const { id } = yield* refund(process, shop.live, transactionId, { body: { amount: 400 } })
    yield* settle
    return { bank, shop, process, transactionId, id, acquirerId: acquirerRefundIdOf(id) }
  })
