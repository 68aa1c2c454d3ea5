import { Effect, Layer } from "effect"
import {
  type ClaimedReport,
  type ReportEnd,
  type ReportLink,
  type ReportRun,
  ReportStore,
  type SendNowAnswer,
  type SentReport,
  type StoredReport,
} from "../../actors/ports/reportStore.ts"
import type { StoreUnavailable } from "../../actors/values/storeUnavailable.ts"
import type { CsvLocale } from "../../schema/csv.ts"
import type { StatementFormat } from "../../schema/exportFormats.ts"
import type { Feed, Mode } from "../../schema/ids.ts"
import { limits } from "../../schema/limits.ts"
import type { ReportKind, ReportPeriod } from "../../schema/names.ts"
import * as keys from "./keys.ts"
import { callFunction, unexpectedReply } from "./redis/functionLibrary.ts"
import { luaFunction } from "./redis/luaFunction.ts"
import { RedisClient, type RedisCommand } from "./redis/redisClient.ts"
import { readHash, readKind, words } from "./redis/reply.ts"

type Client = RedisClient["Service"]
type Record = Readonly<{ [field: string]: string }>

const readLast = ({ last_from, last_to, last_at, last_failed }: Record): SentReport | undefined =>
  last_from === undefined
    ? undefined
    : { from: last_from, to: last_to ?? "", atMillis: Number(last_at), failed: Number(last_failed) }

/** Reads a report's hash; undefined if there is none. */
const readReport = (id: string, record: Record): StoredReport | undefined => {
  const { seller, sealed, next } = record
  if (seller === undefined || sealed === undefined) return undefined
  return {
    id,
    sellerId: seller,
    mode: record.mode as Mode,
    kind: record.kind as ReportKind,
    format: record.format as StatementFormat,
    locale: record.locale as CsvLocale,
    every: record.every as ReportPeriod,
    recipients: sealed,
    createdAt: record.created_at ?? "",
    nextMillis: next ? Number(next) : undefined,
    last: readLast(record),
  }
}

const readRun = ({ run_from, run_done, run_failed, run_tries }: Record): ReportRun | undefined =>
  run_from === undefined
    ? undefined
    : {
        from: run_from,
        done: (run_done ?? "").split(" ").filter((recipient) => recipient !== ""),
        failed: Number(run_failed),
        tries: Number(run_tries),
      }

const timersOf = (id: string) => keys.timersKey(keys.tagOf(id))

const createFunction = luaFunction("reports.create", {
  keys: ["report", "index", "timers"],
  audited: { replies: ["created"], id: "id" },
})

const create = (client: Client) => (report: StoredReport, reportsMax: number) => {
  const { id, nextMillis = 0 } = report
  return Effect.flatMap(
    callFunction(
      client,
      createFunction,
      { report: keys.reportKey(id), index: keys.reportsKey(report), timers: timersOf(id) },
      {
        id,
        reportsMax,
        dueMillis: nextMillis,
        fields: {
          seller: report.sellerId,
          mode: report.mode,
          kind: report.kind,
          format: report.format,
          locale: report.locale,
          every: report.every,
          created_at: report.createdAt,
          sealed: report.recipients,
          next: nextMillis,
        },
      },
    ),
    readKind(createFunction, { created: "created", limit: "limit" }),
  )
}

const removeFunction = luaFunction("reports.remove", {
  keys: ["report", "links", "index", "timers"],
  audited: { replies: ["removed"], id: "id" },
})

const remove =
  (client: Client) =>
  ({ sellerId, mode }: Feed, id: string) =>
    Effect.flatMap(
      callFunction(
        client,
        removeFunction,
        {
          report: keys.reportKey(id),
          links: keys.reportLinksKey(id),
          index: keys.keyWithin(keys.tagOf(id), keys.reportsKey({ sellerId, mode })),
          timers: timersOf(id),
        },
        { id, sellerId, mode },
      ),
      readKind(removeFunction, { removed: "removed", missing: "missing" }),
    )

const sendNowFunction = luaFunction("reports.send_now", {
  keys: ["report", "timers"],
  audited: { replies: ["due"], id: "id" },
})

const sendNow =
  (client: Client) =>
  ({ sellerId, mode }: Feed, id: string) =>
    Effect.flatMap(
      callFunction(
        client,
        sendNowFunction,
        { report: keys.reportKey(id), timers: timersOf(id) },
        { id, sellerId, mode },
      ),
      (reply): Effect.Effect<SendNowAnswer, StoreUnavailable> => {
        const [kind, dueMillis] = words(reply)
        if (kind === "due") return Effect.succeed({ kind, dueMillis: Number(dueMillis) })
        if (kind === "missing" || kind === "nobody") return Effect.succeed({ kind })
        return Effect.fail(unexpectedReply(sendNowFunction, reply))
      },
    )

const claimFunction = luaFunction("reports.claim", { keys: ["report", "timers"] })

const claim = (client: Client) => (id: string) =>
  Effect.flatMap(
    callFunction(
      client,
      claimFunction,
      { report: keys.reportKey(id), timers: timersOf(id) },
      { id, leaseMillis: limits.reportLeaseMillis },
    ),
    (reply) => {
      const [kind, leaseEnd, ...fields] = words(reply)
      if (kind === "none") return Effect.succeed(undefined)
      const record = readHash(fields)
      const report = readReport(id, record)
      if (kind !== "claimed" || report === undefined) {
        return Effect.fail(unexpectedReply(claimFunction, reply))
      }
      const claimed: ClaimedReport = {
        report,
        run: readRun(record),
        isAsked: record.asked !== undefined,
        leaseEndMillis: Number(leaseEnd),
      }
      return Effect.succeed(claimed)
    },
  )

const keepLinkFunction = luaFunction("reports.keep_link", { keys: ["report", "links", "timers"] })

const keepLink = (client: Client) => (claimed: ClaimedReport, link: ReportLink) => {
  const { id } = claimed.report
  const { hash, endsMillis, from, to } = link
  return Effect.map(
    callFunction(
      client,
      keepLinkFunction,
      { report: keys.reportKey(id), links: keys.reportLinksKey(id), timers: timersOf(id) },
      {
        id,
        leaseEndMillis: claimed.leaseEndMillis,
        leaseMillis: limits.reportLeaseMillis,
        hash,
        text: `${endsMillis} ${from} ${to}`,
        endsMillis,
      },
    ),
    (reply): ClaimedReport | undefined => {
      const [kind, leaseEnd] = words(reply)
      return kind === "kept" ? { ...claimed, leaseEndMillis: Number(leaseEnd) } : undefined
    },
  )
}

const noted = { noted: "noted", stale: "stale" } as const

const noteMailFunction = luaFunction("reports.note_mail", { keys: ["report"] })

const noteMail =
  (client: Client) =>
  ({ report: { id }, leaseEndMillis }: ClaimedReport, from: string, recipient: string, isFailed: boolean) =>
    Effect.flatMap(
      callFunction(
        client,
        noteMailFunction,
        { report: keys.reportKey(id) },
        { leaseEndMillis, from, recipient, isFailed },
      ),
      readKind(noteMailFunction, noted),
    )

const finishFunction = luaFunction("reports.finish", { keys: ["report", "timers"] })

const finish =
  (client: Client) =>
  ({ report: { id }, leaseEndMillis }: ClaimedReport, end: ReportEnd) =>
    Effect.flatMap(
      callFunction(
        client,
        finishFunction,
        { report: keys.reportKey(id), timers: timersOf(id) },
        end.kind === "again"
          ? { id, leaseEndMillis, again: { from: end.from, inMillis: end.inMillis } }
          : { id, leaseEndMillis, nextMillis: end.nextMillis, sent: end.sent },
      ),
      readKind(finishFunction, noted),
    )

const changeRecipientsFunction = luaFunction("reports.change_recipients", {
  keys: ["report", "timers"],
  texts: ["recipients"],
  audited: { replies: ["noted"], id: "id" },
})

const changeRecipients =
  (client: Client) =>
  ({ id, recipients: expected }: StoredReport, recipients: string, isLast: boolean) =>
    Effect.flatMap(
      callFunction(
        client,
        changeRecipientsFunction,
        { report: keys.reportKey(id), timers: timersOf(id) },
        { id, expected, isLast },
        { recipients },
      ),
      readKind(changeRecipientsFunction, noted),
    )

const list = (client: Client) =>
  Effect.fnUntraced(function* (feed: Feed) {
    const ids = (yield* client.call("ZRANGE", [
      ...[keys.reportsKey(feed), 0, -1, "REV"],
    ])) as ReadonlyArray<string>
    const records = yield* client.callAll(ids.map((id): RedisCommand => ["HGETALL", [keys.reportKey(id)]]))
    return ids.flatMap((id, i) => readReport(id, readHash(records[i])) ?? [])
  })

const findLink = (client: Client) =>
  Effect.fnUntraced(function* (id: string, hash: string) {
    const [record, text] = yield* client.callAll([
      ["HGETALL", [keys.reportKey(id)]],
      ["HGET", [keys.reportLinksKey(id), hash]],
    ])
    const report = readReport(id, readHash(record))
    if (report === undefined || typeof text !== "string") return undefined
    const [ends, from = "", to = ""] = text.split(" ")
    return { report, link: { hash, endsMillis: Number(ends), from, to } }
  })

/** Reports on Redis. */
export const ReportStoreLive = Layer.effect(
  ReportStore,
  Effect.map(RedisClient, (client) =>
    ReportStore.of({
      create: create(client),
      list: list(client),
      load: (id) =>
        Effect.map(client.call("HGETALL", [keys.reportKey(id)]), (reply) => readReport(id, readHash(reply))),
      remove: remove(client),
      sendNow: sendNow(client),
      claim: claim(client),
      keepLink: keepLink(client),
      noteMail: noteMail(client),
      finish: finish(client),
      changeRecipients: changeRecipients(client),
      findLink: findLink(client),
    }),
  ),
)
