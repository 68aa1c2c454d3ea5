import { Effect, Layer } from "effect"
import { limits } from "../../schema/limits.ts"
import { mailKey } from "../store/keys.ts"
import { RedisClient } from "../store/redis/redisClient.ts"
import { MailFailed, MailTransport } from "./mailer.ts"

/** Deadline of each step of a mail server. */
const smtpTimeoutMillis = 10_000

/** What may be said of a failure: its message may repeat the recipient. */
const reasonOf = (cause: unknown): string => {
  const { code, responseCode } = cause as { readonly code?: string; readonly responseCode?: number }
  return [code ?? "unknown error", responseCode].filter((part) => part !== undefined).join(" ")
}

/** A 5yz reply is final; a 4yz reply or a broken connection is temporary (RFC 5321, 4.2.1). */
const isFinal = (cause: unknown): boolean =>
  ((cause as { readonly responseCode?: number }).responseCode ?? 0) >= 500

/** Loads what speaks SMTP: a service without SMTP_URL starts without its modules. */
const loadNodemailer = Effect.promise(() => import("nodemailer"))

/**
 * Whether a connection to a mail server must be encrypted: in production mails, whose tokens open accounts, cross a network only under
 * TLS, also where somebody on the way hides that the server offers it (docs/operations.md#settings). `?ignoreTLS=true` in the URL says that it need not.
 */
export const requiresTls = (smtpUrl: string, isProduction: boolean): boolean => {
  const { protocol, hostname, searchParams } = new URL(smtpUrl)
  const isHere = hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname)
  return protocol === "smtp:" && isProduction && !isHere && searchParams.get("ignoreTLS") !== "true"
}

/** An SMTP server (SMTP_URL); `from` is the sender (MAIL_FROM). `requireTLS` as `requiresTls` says. */
export const SmtpTransportLive = (url: string, from: string, requireTLS = false) =>
  Layer.effect(
    MailTransport,
    Effect.gen(function* () {
      const { createTransport } = yield* loadNodemailer
      const timeouts = {
        connectionTimeout: smtpTimeoutMillis,
        greetingTimeout: smtpTimeoutMillis,
        socketTimeout: smtpTimeoutMillis,
      }
      const transport = yield* Effect.acquireRelease(
        Effect.sync(() => createTransport({ url, ...(requireTLS ? { requireTLS } : {}), ...timeouts })),
        (open) => Effect.sync(() => open.close()),
      )
      return MailTransport.of({
        handIn: ({ to, subject, text, attachments = [], headers = {} }) =>
          Effect.tryPromise({
            try: () =>
              transport.sendMail({
                from,
                to,
                subject,
                text,
                headers: { ...headers },
                attachments: attachments.map((file) => ({ ...file, content: Buffer.from(file.content) })),
              }),
            catch: (cause) => new MailFailed({ reason: reasonOf(cause), isFinal: isFinal(cause) }),
          }).pipe(Effect.asVoid),
      })
    }),
  )

/** The `mail` stream, used without SMTP_URL; `ops mail list` prints it. It has no attachments and headers: texts say the same. */
export const StreamTransportLive = Layer.effect(
  MailTransport,
  Effect.map(RedisClient, (client) =>
    MailTransport.of({
      handIn: ({ to, subject, text, purpose }) =>
        client
          .call("XADD", [
            ...[mailKey, "MAXLEN", "~", limits.mailStreamEntriesMax, "*"],
            ...["to", to, "subject", subject, "purpose", purpose, "text", text],
          ])
          .pipe(
            Effect.asVoid,
            Effect.mapError(({ reason }) => new MailFailed({ reason, isFinal: false })),
          ),
    }),
  ),
)
