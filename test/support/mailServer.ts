import type { AddressInfo } from "node:net"
import PostalMime from "postal-mime"
import { SMTPServer } from "smtp-server"

/** A mail as received. */
export interface ReceivedMail {
  readonly from: string | undefined
  readonly to: ReadonlyArray<string>
  readonly subject: string | undefined
  readonly text: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly attachments: ReadonlyArray<{
    readonly name: string | null
    readonly type: string
    readonly bytes: Uint8Array
  }>
}

/** A real SMTP server, for one test. */
export interface MailServer {
  readonly url: string
  readonly port: number
  /** All mails received, oldest first. */
  readonly mails: ReadonlyArray<ReceivedMail>
  readonly stop: () => Promise<void>
}

/** Options of a mail server. */
export interface MailServerOptions {
  /** Default: any free port. */
  readonly port?: number
  /** The reply code that a recipient is refused with, sooner or later; undefined to accept it. */
  readonly refuses?: (address: string) => number | undefined | Promise<number | undefined>
}

const refusal = (code: number): Error => Object.assign(new Error("refused"), { responseCode: code })

/** Starts a server without authentication on this machine. `stop` it in `afterAll`. */
export const startMailServer = async (options: MailServerOptions = {}): Promise<MailServer> => {
  const mails: Array<ReceivedMail> = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onRcptTo: ({ address }, _session, done) => {
      void Promise.resolve(options.refuses?.(address)).then((code) =>
        done(code === undefined ? null : refusal(code)),
      )
    },
    onData: (stream, session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          mails.push({
            from: mail.from?.address,
            to: session.envelope.rcptTo.map(({ address }) => address),
            subject: mail.subject,
            text: mail.text ?? "",
            headers: Object.fromEntries(mail.headers.map(({ key, value }) => [key, value])),
            attachments: mail.attachments.map(({ filename, mimeType, content }) => ({
              name: filename,
              type: mimeType,
              bytes: typeof content === "string" ? Buffer.from(content) : new Uint8Array(content),
            })),
          })
          done()
        }, done)
      })
    },
  })
  server.on("error", () => {})
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, "127.0.0.1", resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    port,
    mails,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
