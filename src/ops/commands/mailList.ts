import { Effect } from "effect"
import { Command } from "effect/cli"
import { limits } from "../../../schema/limits.ts"
import { mailKey } from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { answer } from "../answer.ts"

type Entry = readonly [entryId: string, fields: ReadonlyArray<string>]

const readMail = ([entryId, fields]: Entry) => {
  const sentAt = new Date(Number(entryId.split("-")[0])).toISOString()
  const mail: Record<string, string> = { id: entryId, sent_at: sentAt }
  for (let i = 0; i + 1 < fields.length; i += 2) mail[fields[i] ?? ""] = fields[i + 1] ?? ""
  return mail
}

const listMails = Effect.fnUntraced(function* () {
  const client = yield* RedisClient
  const range = [mailKey, "+", "-", "COUNT", limits.mailStreamEntriesMax]
  const entries = yield* client.call("XREVRANGE", range)
  return { data: (entries as ReadonlyArray<Entry>).map(readMail) }
})

const mailList = Command.make("list", {}, answer(listMails)).pipe(
  Command.withDescription(
    "Print the mails that were kept in Redis because SMTP_URL is not set, newest first. `mail` alone does the same.",
  ),
)

export const mail = Command.make("mail", {}, answer(listMails)).pipe(
  Command.withDescription("Print the mails that were kept in Redis because SMTP_URL is not set."),
  Command.withSubcommands([mailList]),
)
