import { Effect } from "effect"
import { mailKey } from "../../store/keys.ts"
import { RedisClient } from "../../store/redisClient.ts"
import { defineCommand } from "../command.ts"

/** decisions 4: what the stream keeps. */
const mailsMax = 1_000

type Entry = readonly [entryId: string, fields: ReadonlyArray<string>]

const readMail = ([entryId, fields]: Entry) => {
  const sentAt = new Date(Number(entryId.split("-")[0])).toISOString()
  const mail: Record<string, string> = { id: entryId, sent_at: sentAt }
  for (let i = 0; i + 1 < fields.length; i += 2) mail[fields[i] ?? ""] = fields[i + 1] ?? ""
  return mail
}

export const mailList = defineCommand({
  name: "mail list",
  help: "Prints the mails that were written to Redis because SMTP_URL is not set, newest first.",
  parameters: {},
  run: Effect.fnUntraced(function* () {
    const client = yield* RedisClient
    const entries = yield* client.call("XREVRANGE", [mailKey, "+", "-", "COUNT", mailsMax])
    return { data: (entries as ReadonlyArray<Entry>).map(readMail) }
  }),
})
