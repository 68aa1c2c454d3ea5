import { Effect } from "effect"
import { limits } from "../../../schema/limits.ts"
import { mailKey } from "../../store/keys.ts"
import { RedisClient } from "../../store/redis/redisClient.ts"
import { defineCommand } from "../command.ts"

type Entry = readonly [entryId: string, fields: ReadonlyArray<string>]

const readMail = ([entryId, fields]: Entry) => {
  const sentAt = new Date(Number(entryId.split("-")[0])).toISOString()
  const mail: Record<string, string> = { id: entryId, sent_at: sentAt }
  for (let i = 0; i + 1 < fields.length; i += 2) mail[fields[i] ?? ""] = fields[i + 1] ?? ""
  return mail
}

const commandOf = (name: string) =>
  defineCommand({
    name,
    help: "Prints the mails that were written to Redis because SMTP_URL is not set, newest first.",
    parameters: {},
    run: Effect.fnUntraced(function* () {
      const client = yield* RedisClient
      const entries = yield* client.call("XREVRANGE", [
        mailKey,
        "+",
        "-",
        "COUNT",
        limits.mailStreamEntriesMax,
      ])
      return { data: (entries as ReadonlyArray<Entry>).map(readMail) }
    }),
  })

export const mailList = commandOf("mail list")

/** The same in one word (decisions 4). */
export const mail = commandOf("mail")
