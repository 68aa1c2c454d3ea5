import { Effect, Layer } from "effect"
import {
  type PaymentLinkChange,
  type PaymentLinkPage,
  PaymentLinkStore,
  type StoredPaymentLink,
} from "../../actors/ports/paymentLinkStore.ts"
import type { IdempotencyScope } from "../../actors/values/idempotency.ts"
import type { Principal } from "../../actors/values/principal.ts"
import type { Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import { idRange } from "./idRange.ts"
import * as keys from "./keys.ts"
import { readListed } from "./readListed.ts"
import { callFunction } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type Reply } from "./redis/redisClient.ts"
import { readAnswer, readKind } from "./redis/reply.ts"
import { apiKeyCheck, isKeyValid, makeReadOwn, requestKeyNames, requestKeys, requestOf } from "./requests.ts"

type Client = RedisClient["Service"]

/** Fields of a link's hash, in the order that {@link readLink} expects. */
const linkFields = [
  ...["seller", "mode", "version", "active", "payments_max", "document"],
  ...["payments", "paid_amount", "pending"],
]

const readLink = (id: string, reply: Reply | undefined): StoredPaymentLink | undefined => {
  const [sellerId, mode, version, active, most, document, payments, paid, pending] = reply as ReadonlyArray<
    string | null
  >
  if (!sellerId || !document) return undefined
  return {
    id,
    sellerId,
    mode: mode as Mode,
    version: Number(version),
    active: active === "1",
    paymentsMax: most ? Number(most) : undefined,
    document,
    payments: Number(payments),
    paidAmount: Number(paid),
    pendingPayments: Number(pending),
  }
}

/** The fields of a link's hash that its seller's changes write, besides the document. */
const decided = ({ active, paymentsMax }: Pick<StoredPaymentLink, "active" | "paymentsMax">) => ({
  active: active ? "1" : "0",
  payments_max: paymentsMax ?? "",
})

const indexOf = ({ sellerId, mode }: Pick<Principal, "sellerId" | "mode">, active: boolean | undefined) =>
  keys.paymentLinksKey(sellerId, mode, active === undefined ? undefined : active ? "active" : "inactive")

const createFunction = luaFunction("payment_links.create", {
  keys: [...requestKeyNames, "events", "paymentLink", "index", "stateIndex"],
  texts: ["document", "answer"],
  audited: { replies: ["created"], id: "id" },
})

const create =
  (client: Client) =>
  (
    principal: Principal,
    idempotency: IdempotencyScope,
    link: StoredPaymentLink,
    answer: string,
    linksMax: number,
  ) => {
    const call = callFunction(
      client,
      createFunction,
      {
        ...requestKeys(principal, idempotency),
        paymentLink: keys.paymentLinkKey(link.id),
        index: indexOf(link, undefined),
        stateIndex: indexOf(link, link.active),
      },
      {
        ...requestOf(principal, idempotency),
        id: link.id,
        linksMax,
        fields: {
          seller: link.sellerId,
          mode: link.mode,
          version: 1,
          ...decided(link),
          payments: 0,
          paid_amount: 0,
          pending: 0,
        },
        retentionMillis: limits.idempotencyRetentionMillis,
      },
      { document: link.document, answer },
    )
    const read = readAnswer(createFunction, ([word]) => {
      if (word === "created") return { kind: "created" } as const
      return word === "limit" ? ({ kind: "limit" } as const) : undefined
    })
    return Effect.flatMap(call, read)
  }

const changeFunction = luaFunction("payment_links.change", {
  keys: ["paymentLink", "oldIndex", "newIndex"],
  texts: ["document"],
  audited: { replies: ["applied"], id: "id" },
})

const change =
  (client: Client) =>
  ({ link, document, ...to }: PaymentLinkChange) =>
    Effect.flatMap(
      callFunction(
        client,
        changeFunction,
        {
          paymentLink: keys.paymentLinkKey(link.id),
          oldIndex: indexOf(link, link.active),
          newIndex: indexOf(link, to.active),
        },
        { id: link.id, version: link.version, fields: decided(to) },
        { document },
      ),
      readKind(changeFunction, { applied: "applied", stale: "stale", missing: "missing" }),
    )

const readPage = (client: Client) =>
  Effect.fnUntraced(function* (principal: Principal, { active, beforeId, limit }: PaymentLinkPage) {
    const [max, min] = idRange("plk_", { fromMillis: undefined, toMillis: undefined, beforeId })
    const [check, found] = yield* client.callAll([
      apiKeyCheck(principal),
      ["ZRANGE", [indexOf(principal, active), max, min, "BYLEX", "REV", "LIMIT", 0, limit]],
    ])
    if (!isKeyValid(principal, check, yield* Effect.clockWith((clock) => clock.currentTimeMillis))) {
      return { kind: "keyInvalid" } as const
    }
    const ids = found as ReadonlyArray<string>
    const records = yield* client.callAll(
      ids.map((id) => ["HMGET", [keys.paymentLinkKey(id), ...linkFields]] as const),
    )
    return records.flatMap((record, i) => readLink(ids[i] ?? "", record) ?? [])
  })

/** Payment links on Redis. */
export const PaymentLinkStoreLive = Layer.effect(
  PaymentLinkStore,
  Effect.gen(function* () {
    const client = yield* RedisClient
    const read = readPage(client)
    return PaymentLinkStore.of({
      create: create(client),
      change: change(client),
      get: makeReadOwn(client, keys.paymentLinkKey, linkFields, readLink),
      load: (id) =>
        Effect.map(client.call("HMGET", [keys.paymentLinkKey(id), ...linkFields]), (reply) =>
          readLink(id, reply),
        ),
      list: (principal, page) =>
        readListed(
          ({ active }: StoredPaymentLink) => page.active === undefined || active === page.active,
          read(principal, page),
        ),
    })
  }),
)
