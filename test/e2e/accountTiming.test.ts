import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { monitorRedis } from "../support/redisMonitor.ts"
import { forgetRates, freshEmail, makeSellerPerson, type SellerPerson } from "./support/accountPeople.ts"
import { makeClient } from "./support/client.ts"
import { openStage, type Stage } from "./support/stage.ts"

let stage: Stage
let person: SellerPerson
/** Watches every command that the service's Redis runs, and sends none itself. */
let monitor: { readonly close: () => void } | undefined
/** The commands that requests about accounts cause, oldest first, and the marks that end each request. */
let commands: Array<string> = []
beforeAll(async () => {
  stage = await openStage()
  person = await makeSellerPerson(stage)
  monitor = await monitorRedis(stage.service.redisUrl, ({ args, source }) => {
    const [command = "", name = ""] = args
    // Mails are queued beside the answer, which does not wait for them.
    const isOfRequest = args.some((arg) => /\{u\d+\}|^rate:/.test(arg))
    if (source === "lua" || !(isOfRequest || command.toLowerCase() === "echo")) return
    commands.push(/^(fcall|echo)/i.test(command) ? `${command} ${name}`.toLowerCase() : command.toLowerCase())
  })
})
afterAll(async () => {
  monitor?.close()
  await stage?.close()
})
beforeEach(() => forgetRates(stage))

/** Waits until the monitor has told all that Redis ran until now. */
const markPassed = async () => {
  const mark = randomUUID()
  await stage.redis("ECHO", mark)
  await expect.poll(() => commands.at(-1)).toBe(`echo ${mark}`)
}

/** The commands that Redis ran before a request was answered: nobody who waits for the answer can time later ones. */
const commandsUntilAnswer = async <A>(request: () => Promise<A>) => {
  // What the test itself sent before may still be on its way from the monitor.
  await markPassed()
  commands = []
  const answer = await request()
  await markPassed()
  return { answer, commands: commands.slice(0, -1) }
}

const password = "not the password of anybody"
const routes: Readonly<Record<string, (email: string) => readonly [path: string, body: object]>> = {
  "a sign-in": (email) => ["/v1/me/auth/sign-in/email", { email, password }],
  "a request for a password reset": (email) => ["/v1/me/auth/request-password-reset", { email }],
  "a request for another verification mail": (email) => ["/v1/me/auth/send-verification-email", { email }],
  "a request for a recovery": (email) => ["/v1/me/auth/two-factor/recovery/request", { email, password }],
}

describe("addresses with and without an account", () => {
  for (const [name, request] of Object.entries(routes)) {
    const ask = async (email: string) => {
      await forgetRates(stage)
      const [path, body] = request(email)
      return commandsUntilAnswer(() =>
        makeClient(stage.service.url).post(path, { body, headers: { "X-Request-Id": "the-same-always" } }),
      )
    }
    const headersOf = (headers: Headers) =>
      [...headers].filter(([header]) => !["date", "ratelimit"].includes(header))

    it(`${name} gives the same bytes after the same Redis commands, with and without an account`, async () => {
      // The first request of a process loads what later ones find loaded.
      await ask(freshEmail("nobody"))
      const known = await ask(person.email)
      const unknown = await ask(freshEmail("nobody"))
      expect(unknown.answer.text).toBe(known.answer.text)
      expect(unknown.answer.status).toBe(known.answer.status)
      expect(headersOf(unknown.answer.headers)).toEqual(headersOf(known.answer.headers))
      expect(known.commands.length).toBeGreaterThan(0)
      expect(unknown.commands).toEqual(known.commands)
    })
  }
})
