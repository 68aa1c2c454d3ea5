import { describe, expect, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { limits } from "../../schema/limits.ts"
import { type Mail, Mailer, MailerLive, MailFailed, MailTransport } from "../../src/mail/mailer.ts"
import { requiresTls, SmtpTransportLive } from "../../src/mail/transports.ts"
import { settle } from "../actors/support/settle.ts"
import { type MailServerOptions, startMailServer } from "../support/mailServer.ts"
import { until } from "../support/until.ts"

const mailTo = (to: string): Mail => ({
  to,
  subject: "Olá, ação",
  text: "https://example.com/?token=s3cr3t",
  purpose: "test",
})

const server = (options?: MailServerOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => startMailServer(options)),
    (running) => Effect.promise(() => running.stop()),
  )

const smtpMailer = (url: string, requireTLS = false) =>
  MailerLive.pipe(Layer.provide(SmtpTransportLive(url, "Corrente <pay@example.com>", requireTLS)))

const send = (mail: Mail) => Effect.flatMap(Mailer, (mailer) => mailer.send(mail))
const arrived = (what: string, holds: () => boolean) => Effect.promise(() => until(what, holds))

const secondPasses = Effect.andThen(TestClock.adjust(1_000), settle)

/** Collects log lines. */
const collecting = (lines: Array<string>) =>
  Logger.layer([Logger.make(({ message }) => lines.push([message].flat().join(" ")))])

describe("the mailer", () => {
  it.live("the mailer hands mails to an SMTP server and logs no more of the recipient than the domain", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const { url, mails } = yield* server()
      yield* Effect.gen(function* () {
        yield* send(mailTo("ana@example.org"))
        yield* arrived("a mail", () => mails.length === 1)
        yield* arrived("a log line", () => lines.length > 0)
      }).pipe(Effect.provide(smtpMailer(url)), Effect.provide(collecting(lines)))
      expect(mails[0]).toMatchObject({
        from: "pay@example.com",
        to: ["ana@example.org"],
        subject: "Olá, ação",
      })
      expect(mails[0]?.text).toContain("token=s3cr3t")
      expect(lines.join("\n")).toContain("example.org")
      expect(lines.join("\n")).not.toMatch(/ana@|s3cr3t|ação/)
    }).pipe(Effect.scoped),
  )

  it.live("the mailer retries a server that is away or busy, but not a recipient refused for good", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      let busyReplies = 1
      const refuses = (address: string) => {
        if (address.startsWith("nobody")) return 550
        return busyReplies-- > 0 ? 451 : undefined
      }
      const first = yield* Effect.promise(() => startMailServer())
      yield* Effect.promise(() => first.stop())
      yield* Effect.gen(function* () {
        yield* send(mailTo("nobody@example.org"))
        yield* send(mailTo("ana@example.org"))
        const { mails } = yield* server({ port: first.port, refuses })
        yield* arrived("the mail of a later try", () => mails.length === 1)
        expect(mails[0]?.to).toEqual(["ana@example.org"])
        yield* arrived("the refused mail to be given up", () =>
          lines.some((line) => line.includes("given up")),
        )
      }).pipe(Effect.provide(smtpMailer(first.url)), Effect.provide(collecting(lines)))
      expect(lines.filter((line) => line.includes("given up"))).toEqual([
        "mail test to example.org was given up: EENVELOPE 550",
      ])
    }).pipe(Effect.scoped),
  )

  it.live("the mailer gives a mail up rather than send it without TLS where that is required", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const { url, mails } = yield* server()
      yield* Effect.gen(function* () {
        yield* send(mailTo("ana@example.org"))
        yield* arrived("the mail to be given up", () => lines.some((line) => line.includes("given up")))
      }).pipe(Effect.provide(smtpMailer(url, true)), Effect.provide(collecting(lines)))
      expect(mails).toEqual([])
    }).pipe(Effect.scoped),
  )

  it("TLS is required of a mail server in production, unless it is on this machine or its URL says otherwise", () => {
    const required = (url: string) => requiresTls(url, true)
    expect(required("smtp://user:secret@mail.example.com:587")).toBe(true)
    expect(required("smtp://mail.example.com?ignoreTLS=false")).toBe(true)
    expect(required("smtp://mail.example.com?ignoreTLS=true")).toBe(false)
    for (const here of ["localhost", "127.0.0.1:1025", "[::1]"])
      expect(required(`smtp://${here}`)).toBe(false)
    expect(required("smtp://127.example.com")).toBe(true)
    expect(requiresTls("smtp://mail.example.com", false)).toBe(false)
  })

  /** A transport that holds every mail until `release`. */
  const held = () => {
    const taken: Array<string> = []
    const gate = Deferred.makeUnsafe<void>()
    const transport = Layer.succeed(MailTransport, {
      handIn: ({ to }) =>
        Effect.andThen(
          Effect.sync(() => taken.push(to)),
          Deferred.await(gate),
        ),
    })
    return {
      taken,
      release: Deferred.succeed(gate, undefined),
      layer: MailerLive.pipe(Layer.provide(transport)),
    }
  }

  it.live(
    "the mailer drops a mail past its queue's bound with a log line, and sends those waiting at its end",
    () =>
      Effect.gen(function* () {
        const lines: Array<string> = []
        const { taken, release, layer } = held()
        const inHand = 4
        yield* Effect.gen(function* () {
          for (let i = 0; i < inHand; i++) yield* send(mailTo(`hand${i}@example.org`))
          yield* arrived("the workers to be busy", () => taken.length === inHand)
          for (let i = 0; i < limits.mailsWaitingMax; i++) yield* send(mailTo(`m${i}@example.org`))
          expect(lines).toEqual([])
          yield* send(mailTo("late@example.org"))
          expect(lines).toEqual(["mail test to example.org was dropped: too many wait"])
          yield* release
        }).pipe(Effect.provide(layer), Effect.provide(collecting(lines)))
        expect(taken).toHaveLength(inHand + limits.mailsWaitingMax)
        expect(taken).not.toContain("late@example.org")
      }),
  )

  it.effect("the mailer gives a mail up after six tries, and goes on with the others", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const tries = new Map<string, number>()
      const transport = Layer.succeed(MailTransport, {
        handIn: ({ to }) =>
          Effect.suspend(() => {
            tries.set(to, (tries.get(to) ?? 0) + 1)
            return to.startsWith("bad")
              ? Effect.fail(new MailFailed({ reason: "ECONNREFUSED", isFinal: false }))
              : Effect.void
          }),
      })
      const program = Effect.gen(function* () {
        yield* send(mailTo("bad@example.org"))
        yield* send(mailTo("good@example.org"))
        for (let second = 0; second < 30; second++) yield* secondPasses
        const triesBefore = tries.get("bad@example.org")
        for (let second = 0; second < 90; second++) yield* secondPasses
        return triesBefore
      }).pipe(
        Effect.provide(Layer.fresh(MailerLive).pipe(Layer.provide(transport))),
        Effect.provide(collecting(lines)),
      )
      expect(yield* program).toBe(5)
      expect(lines).toContain("mail test to example.org was given up: ECONNREFUSED")
      expect(Object.fromEntries(tries)).toEqual({ "bad@example.org": 6, "good@example.org": 1 })
    }),
  )
})
