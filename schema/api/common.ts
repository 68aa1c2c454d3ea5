import { Context, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { type ErrorCode, errorCodes } from "../errorCodes.ts"
import { ErrorEnvelope } from "../errors.ts"
import { modes } from "../ids.ts"
import { limits } from "../limits.ts"
import { MailedToken } from "../resources/account.ts"

/** An integer in a query string, kept as text: decimal digits within the bounds. Handlers convert it with `Number`. */
export const integerText = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => {
      const value = Number(text)
      const holds = /^\d{1,12}$/.test(text) && value >= minimum && value <= maximum
      return holds || `an integer of ${minimum} to ${maximum}`
    }),
  )

const dateTimePattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$/

/** Whether the calendar has this day: `Date` turns February 30 into March 2. */
const isOfCalendar = (text: string): boolean => {
  const date = text.slice(0, 10)
  const millis = Date.parse(`${date}T00:00Z`)
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(date)
}

/** An ISO 8601 date or date-time with its zone, kept as text. */
export const DateTimeText = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      (dateTimePattern.test(text) && isOfCalendar(text) && !Number.isNaN(Date.parse(text))) ||
      "an ISO 8601 date-time such as 2026-11-21T00:07:35Z, or a date such as 2026-11-21",
  ),
).annotate({ format: "date-time" })

/** Whether a text is a day of the calendar such as `2026-11-21`. */
export const isCalendarDay = (text: string): boolean => /^\d{4}-\d{2}-\d{2}$/.test(text) && isOfCalendar(text)

/** A day of the calendar such as `2026-11-21`, kept as text. */
export const DayText = Schema.String.check(
  Schema.makeFilter((text: string) => isCalendarDay(text) || "a date such as 2026-11-21"),
).annotate({ format: "date" })

/**
 * The page a list is asked for (`docs/contract/README.md#pagination`). The annotation `parameterSchema` replaces, in
 * the OpenAPI document, the schema that decodes a parameter's text.
 */
export const pageQuery = {
  limit: Schema.optionalKey(integerText(1, limits.pageSizeMax)).annotateKey({
    description: "Most items to return.",
    parameterSchema: {
      type: "integer",
      minimum: 1,
      maximum: limits.pageSizeMax,
      default: limits.pageSizeDefault,
    },
  }),
  cursor: Schema.optionalKey(Schema.String).annotateKey({
    description: "`next_cursor` of the previous page; valid for the same list with the same filters only.",
  }),
}

const dateTimeSchema = { type: "string", format: "date-time" }

/** The window most lists filter by, both ends included. */
export const windowQuery = {
  from: Schema.optionalKey(DateTimeText).annotateKey({
    description:
      "Only what was created then or later: a date-time with its zone, or a date, which starts at its first moment in America/Sao_Paulo.",
    parameterSchema: dateTimeSchema,
  }),
  to: Schema.optionalKey(DateTimeText).annotateKey({
    description:
      "Only what was created then or earlier: a date-time with its zone, or a date, which ends with its last millisecond in America/Sao_Paulo.",
    parameterSchema: dateTimeSchema,
  }),
}

/** A filter by an amount. */
export const centavosFilter = (description: string) =>
  Schema.optionalKey(integerText(0, limits.amountMax)).annotateKey({
    description,
    parameterSchema: { type: "integer", minimum: 0, maximum: limits.amountMax },
  })

/** A filter by what holds or does not. */
export const flagFilter = (description: string) =>
  Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({
    description,
    parameterSchema: { type: "boolean" },
  })

/** A list's filter by status. */
export const statusFilter = <const Statuses extends ReadonlyArray<string>>(statuses: Statuses) =>
  Schema.optionalKey(Schema.Literals(statuses)).annotateKey({ description: "Only those with this status." })

/** The mode that a list of all sellers shows. */
export const modeFilter = Schema.optionalKey(Schema.Literals(modes)).annotateKey({
  description: "Only those of this mode; `live` by default.",
})

/** The seller whose entries a list of all sellers shows. */
export const sellerFilter = Schema.optionalKey(Schema.String).annotateKey({
  description: "Only those of this seller; then of every status by default.",
})

/** Filters by event types, comma-separated. */
export const typesFilter = Schema.optionalKey(Schema.String).annotateKey({
  description: "Comma-separated event types or families such as `transaction.*`; all by default.",
})

/** One page of a list (`docs/contract/README.md#pagination`). */
export const pageOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item).annotateKey({ description: "The items of this page." }),
    next_cursor: Schema.NullOr(Schema.String).annotateKey({
      description: "Where the next page begins: `cursor` of the next request; null on the last page.",
      examples: [null],
    }),
  })

/** The whole of a list that is short enough for one answer. */
export const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: Schema.Array(item).annotateKey({ description: "All of them." }) })

/** The answer of what sends a delivery: the attempt it will be. */
export const DeliveryId = Schema.Struct({
  delivery_id: Schema.String.annotateKey({
    description: "The id that the attempt will have.",
    examples: ["whd_01KA0000000700000000000000"],
  }),
})

/** The answer of what is done or not. */
export const Status = Schema.Struct({
  status: Schema.Boolean.annotateKey({ description: "Whether it is done." }),
})

/** Path parameter of single-resource routes. */
export const idParams = { id: Schema.String.annotateKey({ description: "The resource's id." }) }

/** The token of a mailed link, in a path or query. */
export const tokenParameter = MailedToken.annotateKey({ description: "The token of the mailed link." })

/** The header of routes that create something (`docs/contract/README.md#idempotency`). */
export const idempotencyHeaders = {
  "idempotency-key": Schema.String.annotateKey({
    description:
      "A text of your choice that names this operation. The same key with the same body returns the saved response, with `Idempotent-Replayed: true`.",
    parameterSchema: {
      type: "string",
      pattern: "^[A-Za-z0-9_\\-:.]{1,255}$",
      maxLength: limits.idempotencyKeyLengthMax,
    },
  }),
}

/** The headers of routes that create a charge, a withdrawal or a refund. */
export const creationHeaders = {
  ...idempotencyHeaders,
  traceparent: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "W3C Trace Context: its trace id becomes the resource's `trace_id`. An invalid one counts as absent; then one is made.",
    parameterSchema: {
      type: "string",
      examples: ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
    },
  }),
}

/** Marks a route whose body may be missing; it is then read as `{}`. */
export const OptionalBody = Context.Reference<boolean>("corrente/schema/OptionalBody", {
  defaultValue: () => false,
})

/** Marks a route that takes the body as it is, whatever its type, and all headers. */
export const RawBody = Context.Reference<boolean>("corrente/schema/RawBody", {
  defaultValue: () => false,
})

/** Other spellings of a route's path, which are bound to it and not documented. */
export const AlsoAt = Context.Reference<ReadonlyArray<string>>("corrente/schema/AlsoAt", {
  defaultValue: () => [],
})

/** Marks a route that is answered under any load, because whoever monitors the process needs the answer. */
export const Probe = Context.Reference<boolean>("corrente/schema/Probe", {
  defaultValue: () => false,
})

/** Whether what an API key does is told by the seller's audit log, with the client's address (`docs/contract/audit-log.md`). */
export const Audited = Context.Reference<boolean>("corrente/schema/Audited", { defaultValue: () => false })

/** Marks a route whose answer waits for the mode's acquirer if that one is remote. */
export const AsksAcquirer = Context.Reference<boolean>("corrente/schema/AsksAcquirer", {
  defaultValue: () => false,
})

/** What any route answers to a request whose end cannot be found. */
const framingErrors = ["validation_failed", "length_required"] as const

const responseOf = (status: number, description: string) =>
  ErrorEnvelope.annotate({ description }).pipe(HttpApiSchema.status(status))

/** Routes share what they answer alike: each schema more takes time to describe. */
const responses = new Map<string, ReturnType<typeof responseOf>>()

const sharedResponse = (status: number, description: string) => {
  const response = responses.get(`${status} ${description}`) ?? responseOf(status, description)
  responses.set(`${status} ${description}`, response)
  return response
}

const responsesOf = (codes: ReadonlyArray<ErrorCode>) => {
  const statuses = new Map<number, Array<ErrorCode>>()
  for (const code of new Set(codes)) {
    const status = errorCodes[code].status
    statuses.set(status, [...(statuses.get(status) ?? []), code])
  }
  return [...statuses].map(([status, names]) =>
    sharedResponse(status, names.map((name) => `\`${name}\``).join(", ")),
  )
}

/** The error responses of a route: one per status, all with the same envelope. */
export const errorsOf = (...codes: ReadonlyArray<ErrorCode>) =>
  responsesOf([...codes, ...framingErrors, "internal_error", "service_unavailable"])

/** The error responses of a probe, which answers whatever happens. */
export const probeErrors = responsesOf(framingErrors)

/** Kinds of ledger entries. */
export const kindsFilter = Schema.optionalKey(Schema.String).annotateKey({
  description: "Only entries of these kinds, comma-separated.",
})
