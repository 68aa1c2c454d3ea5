import { Schema } from "effect"
import { type ClientErrorCode, CorrenteError } from "../client/src/index.ts"

/** The exit code of each kind of failure (docs/cli.md#exit-codes). */
export const exitCodes = { refused: 1, usage: 2, key: 3, service: 4, receiver: 5 } as const

const kinds = ["refused", "usage", "key", "service", "receiver"] as const

/** Why a command failed, as its user sees it. */
export class CliFailure extends Schema.TaggedError<CliFailure>()("CliFailure", {
  kind: Schema.Literals(kinds),
  /** A code of the service, of its client, or of the command line. */
  code: Schema.String,
  message: Schema.String,
  param: Schema.optional(Schema.String),
  requestId: Schema.optional(Schema.String),
  details: Schema.optional(Schema.Unknown),
}) {}

/** A command line that cannot be carried out as it is; `param` is the flag or word at fault. */
export const usageFailure = (param: string | undefined, message: string): CliFailure =>
  new CliFailure({ kind: "usage", code: "usage", message, param })

const silenceCodes: ReadonlySet<string> = new Set<ClientErrorCode>(["network_error", "timeout"])

const kindOf = ({ code, status }: CorrenteError): CliFailure["kind"] => {
  if (status === 401) return "key"
  if (silenceCodes.has(code) || status === 503 || code === "unexpected_answer") return "service"
  return "refused"
}

const messageOf = (error: CorrenteError, baseUrl: string): string => {
  if (error.status === 401) {
    return `${baseUrl} does not know this API key: it was revoked, or belongs to another service.`
  }
  if (silenceCodes.has(error.code)) {
    return `No Corrente answers at ${baseUrl}. Start one with \`npm start\`, or name another with --base-url.`
  }
  if (error.code === "unexpected_answer") return `${baseUrl} is no Corrente. ${error.message}`
  return error.message
}

/** What a call's failure means to the user. Throws what is no {@link CorrenteError}: a bug. */
export const failureOfCall = (error: unknown, baseUrl: string): CliFailure => {
  if (!(error instanceof CorrenteError)) throw error
  return new CliFailure({
    kind: kindOf(error),
    code: error.code,
    message: messageOf(error, baseUrl),
    param: error.param,
    requestId: error.requestId,
    details: error.details,
  })
}
