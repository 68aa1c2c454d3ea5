import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startTlsReceiver, type TlsReceiver } from "../support/tlsReceiver.ts"
import { type Play, playEverything } from "./support/accountPlay.ts"
import { filesBelow, findSecrets, readCommands, type Secrets } from "./support/accountSecrets.ts"
import { openStage, receiverSettings, type Stage } from "./support/stage.ts"

let stage: Stage
let receiver: TlsReceiver
let play: Play
beforeAll(async () => {
  receiver = await startTlsReceiver({
    behaviour: ({ path }) => (path === "/cut" ? { kind: "reset" } : { kind: "respond", status: 500 }),
  })
  stage = await openStage({
    ...receiverSettings(receiver, { origin: "rediss://localhost:1", caFile: receiver.caFile }),
    LOG_LEVEL: "trace",
    SIMULATOR_DELAY_MS: "50",
    RETRY_SCHEDULE_SECONDS: "0.01,0.01,0.01,0.01,0.01",
  })
  play = await playEverything(stage, receiver)
})
afterAll(async () => {
  await stage?.close()
  await receiver?.close()
})

/** Lines that what is played here must write. */
const wantedEvents = [
  ...["sign_up.succeeded", "sign_in.failed", "sign_in.second_step_required", "second_step.succeeded"],
  ...["second_step.failed", "second_factor.enabled", "step_up.succeeded", "step_up.failed"],
  ...["password_confirmation.failed", "password_reset.failed", "recovery.failed", "api_key.refused"],
  ...["credential.revoked", "operator.act"],
]

const allSecrets = (): Secrets => ({
  ...play.secrets,
  ...play.mailed,
  "the encryption key": Buffer.from(stage.service.encryptionKey).toString("base64"),
})

/** The files on disk that make up Redis' append-only file. */
const appendOnlyFiles = () =>
  filesBelow(join(stage.service.dataDir, "redis")).filter(({ name }) => /\.aof$/.test(name))

/** The whole of Redis as an RDB file, whose strings are not compressed. */
const dump = async (): Promise<Buffer> => {
  await stage.redis("CONFIG", "SET", "rdbcompression", "no")
  await stage.redis("SAVE")
  const file = filesBelow(join(stage.service.dataDir, "redis")).find(({ name }) => name === "dump.rdb")
  if (file === undefined) throw new Error("Redis has saved no file")
  return file.bytes
}

describe("secrets", () => {
  it("the search for secrets covers every kind of them, each with a value of its own", () => {
    expect(Object.keys(allSecrets()).sort()).toMatchInlineSnapshot(`
      [
        "a PIX key's value",
        "a PIX key's value as it was sent",
        "a Redis Stream's password",
        "a backup code",
        "a password",
        "a pending sign-in",
        "a recovery's token",
        "a reset's token",
        "a rotated API key",
        "a rotated webhook secret",
        "a second session",
        "a tracker's header",
        "a trusted device",
        "a verification's token",
        "a webhook secret",
        "an API key",
        "an invite's token",
        "another backup code",
        "the TOTP seed",
        "the customer's document",
        "the customer's document as it was sent",
        "the encryption key",
        "the first session",
        "the new password",
        "the operator's TOTP seed",
        "the operator's password",
        "the operator's session",
        "the postback secret",
        "the seller's document",
        "the seller's document as it was sent",
      ]
    `)
    expect(new Set(Object.values(allSecrets())).size).toBe(Object.keys(allSecrets()).length)
  })

  it("the log contains no secret, whatever failed or was killed", () => {
    const log = stage.service.log()
    expect(log.match(/is listening on/g)).toHaveLength(2)
    expect(findSecrets(log, allSecrets())).toEqual([])
  })

  it("the log that was searched has the lines about sign-ins, refused credentials and operators' acts", () => {
    const named = stage.service.log().matchAll(/event['"]?: ['"]?([a-z_]+\.[a-z_]+)/g)
    const events = new Set([...named].map(([, event]) => event))
    expect(wantedEvents.filter((event) => !events.has(event))).toEqual([])
  })

  it("an answer contains no secret except those it is there to show", () => {
    const told = play.answers.flatMap(({ request, text, shows }) =>
      findSecrets(text, allSecrets())
        .filter((found) => !shows.some((name) => found.startsWith(name)))
        .map((found) => `${request}: ${found}`),
    )
    expect(told).toEqual([])
    expect(play.answers.some(({ status }) => status === 404)).toBe(true)
    expect(play.answers.some(({ status }) => status === 400)).toBe(true)
  })

  it("deliveries contain no secret but the charge's document and the tracker's own headers", () => {
    expect(play.deliveryTexts.length).toBeGreaterThan(6)
    // A charge's document is part of its event, and a tracker is sent the headers that were set for it.
    const { "the customer's document": _document, ...others } = allSecrets()
    expect(play.deliveryTexts.flatMap((text) => findSecrets(text, others))).toEqual([])
    const { "a tracker's header": _header, ...besides } = others
    for (const { headers, body } of receiver.requests) {
      expect(findSecrets(JSON.stringify(headers) + body, besides)).toEqual([])
    }
    expect(receiver.requests.some(({ headers }) => headers["x-tracker-key"] !== undefined)).toBe(true)
  })

  it("the append-only file contains no secret, and mailed tokens in the mail stream alone", () => {
    const files = appendOnlyFiles()
    const found = files.flatMap(({ name, bytes }) => {
      if (!name.endsWith(".incr.aof")) return findSecrets(bytes, allSecrets())
      const others = readCommands(bytes).filter(
        ([command, key]) => !(String(command).toUpperCase() === "XADD" && String(key) === "mail"),
      )
      expect(others.length).toBeGreaterThan(100)
      return [
        ...findSecrets(bytes, { ...play.secrets }),
        ...findSecrets(Buffer.concat(others.flat()), play.mailed),
      ]
    })
    expect(found).toEqual([])
  })

  it("the names of Redis keys contain neither secrets nor e-mail addresses", async () => {
    const keys = (await stage.redis("KEYS", "*")) as ReadonlyArray<string>
    expect(findSecrets(keys.join("\n"), allSecrets())).toEqual([])
    expect(keys.filter((key) => play.emails.some((email) => key.includes(email)))).toEqual([])
  })

  it("a Redis dump contains no secret, and no mailed token outside the mail stream", async () => {
    expect(findSecrets(await dump(), play.secrets)).toEqual([])
    await stage.redis("DEL", "mail")
    expect(findSecrets(await dump(), allSecrets())).toEqual([])
  })

  it("a planted secret is found in Redis and in the log, however it is spelled", async () => {
    const name = "a password"
    const secret = play.secrets[name] ?? ""
    const planted = {
      "as it is": `planted:${secret}`,
      "in hex": Buffer.from(`planted:${secret}`).toString("hex"),
      "in base64": Buffer.from(`planted:${secret}`).toString("base64"),
      "URL-encoded": `planted=${encodeURIComponent(secret)}`,
    }
    for (const [how, text] of Object.entries(planted)) {
      await stage.redis("HSET", "planted", "field", text)
      expect(findSecrets(await dump(), allSecrets())).toContain(`${name} ${how}`)
      const commands = appendOnlyFiles().map(({ bytes }) => bytes)
      expect(findSecrets(Buffer.concat(commands), allSecrets())).toContain(`${name} ${how}`)
      expect(findSecrets(`level=debug ${text}`, allSecrets())).toContain(`${name} ${how}`)
    }
  })
})
