import { invalidCall } from "./errors.ts"
import { type ExportOf, exportedFileOf } from "./exportedFile.ts"
import { List, type Page } from "./list.ts"
import { type SubscribeOptions, subscribe } from "./subscribe.ts"
import { type CallOptions, type CreateOptions, headerText, type Transport } from "./transport.ts"
import type {
  Balance,
  BalanceReleases,
  BalanceReleasesQuery,
  ChangePaymentLink,
  ClockAdvance,
  CreatePaymentLink,
  CreateRefund,
  CreateTransaction,
  CreateWithdrawal,
  Customer,
  CustomersQuery,
  Event,
  EventsQuery,
  LedgerEntry,
  LedgerQuery,
  PaymentLink,
  PaymentLinksQuery,
  PixKey,
  ReceiptQuery,
  Refund,
  RefundRow,
  RefundsExportQuery,
  RefundsQuery,
  ReplayGap,
  SendReceipt,
  StatementExportQuery,
  StatementRow,
  TestClock,
  TestTime,
  Transaction,
  TransactionRow,
  TransactionSummary,
  TransactionsExportQuery,
  TransactionsQuery,
  WebhookDeliveriesQuery,
  WebhookDelivery,
  WebhookDeliveryDetail,
  Withdrawal,
  WithdrawalRow,
  WithdrawalsExportQuery,
  WithdrawalsQuery,
} from "./types.ts"

/** A key that nobody else makes: 128 random bits, from what browsers have on insecure pages too. */
const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  )

/** Below `path`. Anything but an id would be another route. */
const under = (path: string, id: string, act = ""): string => {
  if (typeof id !== "string" || !/^[\w-]+$/.test(id)) throw invalidCall("id", "This is not an id.")
  return `${path}/${id}${act}`
}

/** The calls that resources are made of. */
const callsOf = ({ begin, read, send, timeoutMillis }: Transport) => ({
  get: async <T>(path: string, options?: CallOptions, query: object = {}): Promise<T> =>
    send({ method: "GET", path, query, options }),

  list: <Item>(path: string, query: object = {}, options?: CallOptions): List<Item> =>
    new List((cursor) =>
      send<Page<Item>>({
        method: "GET",
        path,
        query: cursor === undefined ? query : { ...query, cursor },
        options,
      }),
    ),

  create: async <T>(path: string, body: object, options: CreateOptions = {}): Promise<T> => {
    const key = headerText("idempotencyKey", options.idempotencyKey ?? newIdempotencyKey())
    return send({ method: "POST", path, body, headers: { "idempotency-key": key }, options })
  },

  /** A file of a list. */
  export: async <Row, Query extends object>(
    path: string,
    query: Query,
    options?: CallOptions,
  ): Promise<ExportOf<Query, Row>> => {
    const headers = { accept: "*/*" }
    const answer = await begin({ method: "GET", path: `${path}/export`, query, headers, options })
    return exportedFileOf<Row>(answer, timeoutMillis, options?.signal)
  },

  /** The PDF of a receipt. */
  receipt: async (
    path: string,
    query: ReceiptQuery = {},
    options?: CallOptions,
  ): Promise<Uint8Array<ArrayBuffer>> =>
    read({ method: "GET", path, query, headers: { accept: "application/pdf" }, options }),

  /** Mails a receipt. Not tried again where it may have been mailed already. */
  sendReceipt: async (path: string, body: SendReceipt, options?: CallOptions): Promise<void> => {
    await send({ method: "POST", path, body, isRepeatable: false, options })
  },

  /** Something that can happen to a resource only once, so that it may be asked for twice. */
  act: async <T>(path: string, options?: CallOptions): Promise<T> => send({ method: "POST", path, options }),
})

const transactions = "/v1/transactions"
const refunds = "/v1/refunds"
const paymentLinks = "/v1/payment-links"
const customers = "/v1/customers"
const withdrawals = "/v1/withdrawals"
const events = "/v1/events"
const deliveries = "/v1/webhook-deliveries"

const testControlsOf = (transport: Transport) => {
  const { act, get } = callsOf(transport)
  const acts = <T, Name extends string>(path: string, names: ReadonlyArray<Name>) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        async (id: string, options?: CallOptions) => act<T>(under(path, id, `/${name}`), options),
      ]),
    ) as { readonly [Act in Name]: (id: string, options?: CallOptions) => Promise<T> }
  return {
    transactions: acts<Transaction, "pay" | "expire" | "fail" | "refund" | "chargeback">(
      "/v1/test/transactions",
      ["pay", "expire", "fail", "refund", "chargeback"],
    ),
    withdrawals: acts<Withdrawal, "approve" | "reject" | "succeed" | "fail">("/v1/test/withdrawals", [
      "approve",
      "reject",
      "succeed",
      "fail",
    ]),
    refunds: acts<Refund, "succeed" | "fail">("/v1/test/refunds", ["succeed", "fail"]),
    clock: {
      get: async (options?: CallOptions): Promise<TestTime> => get<TestTime>("/v1/test/clock", options),
      /** Moves the clock of your test mode. Not tried again where it may have moved already. */
      advance: async (body: ClockAdvance, options?: CallOptions): Promise<TestClock> =>
        transport.send({
          method: "POST",
          path: "/v1/test/clock/advance",
          body,
          isRepeatable: false,
          options,
        }),
    },
  }
}

/** Every resource of the API that a key opens, over one transport. */
export const resourcesOf = (transport: Transport) => {
  const { get, list, create, act, export: exported, receipt, sendReceipt } = callsOf(transport)
  return {
    transactions: {
      create: (body: CreateTransaction, options?: CreateOptions) =>
        create<Transaction>(transactions, body, options),
      get: async (id: string, options?: CallOptions) => get<Transaction>(under(transactions, id), options),
      list: <Query extends TransactionsQuery = TransactionsQuery>(query?: Query, options?: CallOptions) =>
        list<Query extends { readonly view: "summary" } ? TransactionSummary : Transaction>(
          transactions,
          query,
          options,
        ),
      /** All charges of a list as a file; CSV without a `format`. */
      export: async <Query extends TransactionsExportQuery = Record<never, never>>(
        query?: Query,
        options?: CallOptions,
      ) => exported<TransactionRow, Query>(transactions, query ?? ({} as Query), options),
      /** Mails the receipt of a paid charge; its page is at `payment_url` and `/receipt`. */
      sendReceipt: async (id: string, body: SendReceipt, options?: CallOptions) =>
        sendReceipt(under(transactions, id, "/receipt/send"), body, options),
    },
    refunds: {
      /** Gives back `amount`, or what is left of the charge. */
      create: async (transactionId: string, body: CreateRefund = {}, options?: CreateOptions) =>
        create<Refund>(under(transactions, transactionId, "/refunds"), body, options),
      get: async (id: string, options?: CallOptions) => get<Refund>(under(refunds, id), options),
      list: (query?: RefundsQuery, options?: CallOptions) => list<Refund>(refunds, query, options),
      /** All refunds of a list as a file. */
      export: async <Query extends RefundsExportQuery = Record<never, never>>(
        query?: Query,
        options?: CallOptions,
      ) => exported<RefundRow, Query>(refunds, query ?? ({} as Query), options),
      /** The receipt as a PDF, once it has `succeeded`. */
      receipt: async (id: string, query?: ReceiptQuery, options?: CallOptions) =>
        receipt(under(refunds, id, "/receipt.pdf"), query, options),
      /** Mails the receipt. */
      sendReceipt: async (id: string, body: SendReceipt, options?: CallOptions) =>
        sendReceipt(under(refunds, id, "/receipt/send"), body, options),
    },
    paymentLinks: {
      create: (body: CreatePaymentLink, options?: CreateOptions) =>
        create<PaymentLink>(paymentLinks, body, options),
      get: async (id: string, options?: CallOptions) => get<PaymentLink>(under(paymentLinks, id), options),
      list: (query?: PaymentLinksQuery, options?: CallOptions) =>
        list<PaymentLink>(paymentLinks, query, options),
      /** Changes what the body names; `active` switches it off and on. */
      update: async (id: string, body: ChangePaymentLink, options?: CallOptions) =>
        transport.send<PaymentLink>({ method: "PATCH", path: under(paymentLinks, id), body, options }),
    },
    customers: {
      /** Also by the id of one that was merged into it. */
      get: async (id: string, options?: CallOptions) => get<Customer>(under(customers, id), options),
      /** The one with the newest charge first. */
      list: (query?: CustomersQuery, options?: CallOptions) => list<Customer>(customers, query, options),
      /** Who pays a charge. */
      ofTransaction: async (id: string, options?: CallOptions) =>
        get<Customer>(under(transactions, id, "/customer"), options),
    },
    withdrawals: {
      create: (body: CreateWithdrawal, options?: CreateOptions) =>
        create<Withdrawal>(withdrawals, body, options),
      get: async (id: string, options?: CallOptions) => get<Withdrawal>(under(withdrawals, id), options),
      list: (query?: WithdrawalsQuery, options?: CallOptions) =>
        list<Withdrawal>(withdrawals, query, options),
      /** All withdrawals of a list as a file. */
      export: async <Query extends WithdrawalsExportQuery = Record<never, never>>(
        query?: Query,
        options?: CallOptions,
      ) => exported<WithdrawalRow, Query>(withdrawals, query ?? ({} as Query), options),
      /** While it is `awaiting`. */
      cancel: async (id: string, options?: CallOptions) =>
        act<Withdrawal>(under(withdrawals, id, "/cancel"), options),
      /** The receipt as a PDF, once it is `successful`. */
      receipt: async (id: string, query?: ReceiptQuery, options?: CallOptions) =>
        receipt(under(withdrawals, id, "/receipt.pdf"), query, options),
      /** Mails the receipt. */
      sendReceipt: async (id: string, body: SendReceipt, options?: CallOptions) =>
        sendReceipt(under(withdrawals, id, "/receipt/send"), body, options),
    },
    balance: {
      get: (options?: CallOptions) => get<Balance>("/v1/balance", options),
      /** What the reserve makes available on which day, soonest first. */
      releases: async (query?: BalanceReleasesQuery, options?: CallOptions) =>
        get<BalanceReleases>("/v1/balance/releases", options, query),
    },
    ledger: {
      list: (query?: LedgerQuery, options?: CallOptions) => list<LedgerEntry>("/v1/ledger", query, options),
    },
    statement: {
      /** What moved `available` on some days as a file, OFX too. */
      export: async <Query extends StatementExportQuery>(query: Query, options?: CallOptions) =>
        exported<StatementRow, Query>("/v1/statement", query, options),
    },
    pixKeys: {
      /** The verified ones, which withdrawals take. */
      list: (options?: CallOptions) => list<PixKey>("/v1/pix-keys", {}, options),
    },
    events: {
      list: (query?: EventsQuery, options?: CallOptions) => list<Event>(events, query, options),
      get: async (id: string, options?: CallOptions) => get<Event>(under(events, id), options),
      /** Follows the feed live: see {@link subscribe}. */
      subscribe: (options: SubscribeOptions = {}): AsyncGenerator<Event | ReplayGap, void, undefined> =>
        subscribe(transport, options),
    },
    webhookDeliveries: {
      list: (query?: WebhookDeliveriesQuery, options?: CallOptions) =>
        list<WebhookDelivery>(deliveries, query, options),
      get: async (id: string, options?: CallOptions) =>
        get<WebhookDeliveryDetail>(under(deliveries, id), options),
      /** Sends it once more, at once. */
      retry: async (id: string, options?: CallOptions) =>
        act<{ readonly delivery_id: string }>(under(deliveries, id, "/retry"), options),
    },
    test: testControlsOf(transport),
  }
}

/** What {@link resourcesOf} answers. */
export type Resources = ReturnType<typeof resourcesOf>
