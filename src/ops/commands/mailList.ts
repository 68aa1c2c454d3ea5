import { Effect } from "effect"
import { Command } from "effect/cli"
import { limits } from "../../../schema/limits.ts"
import { mailKey } from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { answer } from "../answer.ts"
import { type Block, fields, note, quote } from "../text/blocks.ts"
import { time } from "../text/values.ts"

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

/** A mail's own fields besides its text. */
const shownMail = ({ id, sent_at, text = "", ...rest }: Readonly<Record<string, string>>) => [
  fields(
    ["Sent", time(sent_at ?? null)],
    ...Object.entries(rest).map(([name, value]) => [labelOf(name), value] as const),
    ["Id", id],
  ),
  quote(text),
]

const labelOf = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

const shownMails = ({ data }: Effect.Success<ReturnType<typeof listMails>>): ReadonlyArray<Block> =>
  data.length === 0 ? [note("No mails.")] : data.flatMap(shownMail)

const mailList = Command.make("list", {}, answer(listMails, shownMails)).pipe(
  Command.withDescription(
    "Print the mails that were kept in Redis because SMTP_URL is not set, newest first. `mail` alone does the same.",
  ),
)

export const mail = Command.make("mail", {}, answer(listMails, shownMails)).pipe(
  Command.withDescription("Print the mails that were kept in Redis because SMTP_URL is not set."),
  Command.withSubcommands([mailList]),
)
