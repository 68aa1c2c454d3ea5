import { Context, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { type ErrorCode, ErrorEnvelope, errorCodes } from "../errors.ts"
import { limits } from "../limits.ts"

/**
 * An integer in a query string, kept as text: decimal digits only, within the bounds.
 * The route reads it by Number, after the check.
 */
const integerText = (minimum: number, maximum: number) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => {
      const value = Number(text)
      const holds = /^\d{1,12}$/.test(text) && value >= minimum && value <= maximum
      return holds || `an integer of ${minimum} to ${maximum}`
    }),
  )

const dateTimePattern = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2}))?$/

/** Whether its day is in the calendar: `Date` takes the 30th of February for the 2nd of March. */
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

/** Paging of every list (spec 4). */
export const pageQuery = {
  limit: Schema.optionalKey(integerText(1, limits.pageSizeMax)),
  cursor: Schema.optionalKey(Schema.String),
}

const windowEnd = (which: "first moment" | "last millisecond") =>
  DateTimeText.annotate({
    description: `A date-time with its zone, or a date: that day's ${which} in America/Sao_Paulo. It counts itself.`,
  })

/** The window most lists filter by; both ends count. */
export const windowQuery = {
  from: Schema.optionalKey(windowEnd("first moment")),
  to: Schema.optionalKey(windowEnd("last millisecond")),
}

/** The shape of every page (spec 4). */
export const pageOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: Schema.Array(item), next_cursor: Schema.NullOr(Schema.String) })

/** Path parameter of single-resource routes. */
export const idParams = { id: Schema.String }

/** Annotates a route whose body may be left out altogether: it is read as `{}` then. */
export const OptionalBody = Context.Reference<boolean>("corrente/schema/OptionalBody", {
  defaultValue: () => false,
})

/** Annotates a route whose body is taken as it is, whatever its type, and of which all headers count. */
export const RawBody = Context.Reference<boolean>("corrente/schema/RawBody", {
  defaultValue: () => false,
})

/** Annotates a route that is answered whatever the load: whoever watches the process must see it. */
export const Probe = Context.Reference<boolean>("corrente/schema/Probe", {
  defaultValue: () => false,
})

/** Annotates a route whose answer waits for the mode's payment partner, where that is a remote one. */
export const AsksPartner = Context.Reference<boolean>("corrente/schema/AsksPartner", {
  defaultValue: () => false,
})

/** The error responses a route documents: one per status, each the same envelope. */
export const errorsOf = (...codes: ReadonlyArray<ErrorCode>) => {
  const statuses = new Map<number, Array<ErrorCode>>()
  for (const code of [...codes, "internal_error", "service_unavailable"] as const) {
    const status = errorCodes[code][0]
    statuses.set(status, [...(statuses.get(status) ?? []), code])
  }
  return [...statuses].map(([status, names]) =>
    ErrorEnvelope.annotate({ description: names.map((name) => `\`${name}\``).join(", ") }).pipe(
      HttpApiSchema.status(status),
    ),
  )
}
