import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { generateEndpointSecret, signAttempt } from "../../src/delivery/signature.ts"

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
const section = readme.slice(readme.indexOf("## Receive webhooks")).split(/\n## /)[0] ?? ""
const snippets = [...section.matchAll(/```js\n(.*?)```/gs)].map(([, code = ""]) => code)

interface Received {
  readonly secret: string
  readonly rawBody: string | Buffer
  readonly request: { readonly headers: Readonly<Record<string, string>> }
}

type Program = (...given: ReadonlyArray<unknown>) => Promise<unknown>
const AsyncFunction = (async () => {}).constructor as new (...code: ReadonlyArray<string>) => Program

const importLine = /^import (?:\{ (?<names>[^}]+) \}|(?<all>\w+)) from "(?<from>[^"]+)"$/

/** Runs a snippet as it stands, with the modules that it imports, and returns its last constant. */
const run = async (snippet: string, { secret, rawBody, request }: Received): Promise<unknown> => {
  const imported: Record<string, unknown> = {}
  for (const line of snippet.split("\n").filter((text) => text.startsWith("import "))) {
    const { names, all = "", from = "" } = importLine.exec(line)?.groups ?? {}
    const module = await import(from)
    if (names === undefined) imported[all] = module.default
    else for (const name of names.split(", ")) imported[name] = module[name]
  }
  const body = snippet.replaceAll(/^import .*\n/gm, "")
  const result = [...body.matchAll(/^const (\w+) =/gm)].at(-1)?.[1]
  const given = { ...imported, secret, rawBody, request }
  const program = new AsyncFunction(...Object.keys(given), `${body}\nreturn ${result}`)
  return await program(...Object.values(given))
}

const draw = () =>
  generateEndpointSecret((size) => Buffer.from(Array.from({ length: size }, () => Math.random() * 256)))
const [current, old, stranger] = [draw(), draw(), draw()]
const event = { id: "evt_1", type: "transaction.paid", data: { object: { name: "João, 12 €" } } }
const rawBody = JSON.stringify(event)

/** A delivery that is signed now by `secrets`, at a receiver that has `secret`. */
const received = (secrets: ReadonlyArray<string>, secret: string): Received => {
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const signed = signAttempt({ secrets, eventId: event.id, timestampSeconds, body: rawBody })
  return {
    ...{ secret, rawBody },
    request: {
      headers: {
        "x-signature": signed?.xSignature ?? "",
        "webhook-id": event.id,
        "webhook-timestamp": String(timestampSeconds),
        "webhook-signature": signed?.webhookSignature ?? "",
      },
    },
  }
}

/** Whether a snippet accepts a delivery: it returns the event or true, or else throws or returns false. */
const accepts = async (snippet: string, delivery: Received): Promise<boolean> => {
  try {
    const answer = await run(snippet, delivery)
    if (typeof answer === "boolean") return answer
    expect(answer).toEqual(event)
    return true
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof ReferenceError)
      throw error
    return false
  }
}

describe("README's snippets that verify a delivery", () => {
  it("README verifies a delivery with standardwebhooks, with stripe and by hand", () => {
    expect(snippets.map((snippet) => /from "(.*)"/.exec(snippet)?.[1])).toEqual([
      "standardwebhooks",
      "stripe",
      "node:crypto",
    ])
  })

  it.each(snippets.map((snippet) => [/from "(.*)"/.exec(snippet)?.[1] ?? "", snippet]))(
    "README's snippet with %s accepts what its secret signed, also around a rotation, and nothing else",
    async (_, snippet) => {
      expect(await accepts(snippet, received([current], current))).toBe(true)
      expect(await accepts(snippet, received([current, old], current)), "the new secret").toBe(true)
      expect(await accepts(snippet, received([current, old], old)), "the old secret").toBe(true)
      expect(await accepts(snippet, received([current], old)), "the grace is over").toBe(false)
      expect(await accepts(snippet, received([current, old], stranger))).toBe(false)
      const delivery = received([current, old], current)
      expect(await accepts(snippet, { ...delivery, rawBody: `${rawBody} ` }), "another body").toBe(false)
    },
  )

  it("README's snippet by hand accepts a body of bytes, and refuses malformed signatures without breaking", async () => {
    const byHand = snippets[2] ?? ""
    const delivery = received([current], current)
    expect(await accepts(byHand, { ...delivery, rawBody: Buffer.from(rawBody) })).toBe(true)
    for (const header of ["", "t=1", "t=1,v1=", "t=1,v1=é", `t=1,v1=${"é".repeat(64)}`, "v1", "t=1,v1,v1"]) {
      const forged = { ...delivery, request: { headers: { "x-signature": header } } }
      expect(await accepts(byHand, forged), header).toBe(false)
    }
  })
})
