import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { timestamp } from "../fields.ts"
import { limits } from "../limits.ts"
import { rolesFor } from "../memberRoles.ts"
import { LoggedRequest } from "../resources/loggedRequest.ts"
import { RequestError } from "../resources/requestError.ts"
import { Found } from "../resources/search.ts"
import { isLine } from "../text.ts"
import { DateTimeText, listOf, pageOf, pageQuery, windowQuery } from "./common.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"

/** What a series counts or measures (`docs/contract/series.md#metrics`). */
const seriesMetrics = [
  "charges_created",
  "charges_paid",
  "paid_amount",
  "refunds_completed",
  "refunded_amount",
  "chargebacks_opened",
  "chargeback_amount",
  "deliveries_succeeded",
  "deliveries_failed",
  "delivery_p50",
  "delivery_p95",
] as const
export type SeriesMetric = (typeof seriesMetrics)[number]

/** How wide the buckets of a series are. */
const seriesBuckets = ["hour", "day"] as const
export type SeriesBucket = (typeof seriesBuckets)[number]

/** Which requests of a log are shown, by the status of their answer; `error` is 400 or more. */
const requestStatuses = ["error", "2xx", "4xx", "5xx"] as const
export type RequestStatus = (typeof requestStatuses)[number]

const errors = ["validation_failed", "session_required", "permission_denied"] as const
const dateTime = { type: "string", format: "date-time" }

const SeriesPoint = Schema.Struct({
  at: timestamp.annotateKey({ description: "The first moment of the bucket." }),
  value: Schema.Int.annotateKey({
    description: "The count, the sum in centavos or the milliseconds; 0 if nothing happened.",
    examples: [12],
  }),
}).annotate({ identifier: "SeriesPoint", examples: [{ at: "2026-11-21T12:00:00.000Z", value: 12 }] })

/** What is searched for. */
export const SearchText = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      (text.trim() !== "" && [...text].length <= limits.searchLengthMax && isLine(text)) ||
      `1 to ${limits.searchLengthMax} characters, without control characters`,
  ),
)

/** What a dashboard plots and looks up. */
export const insightsGroup = HttpApiGroup.make("insights")
  .add(
    route.get("getSeries", "/v1/me/series", {
      roles: rolesFor.reading,
      summary: "A count or measure by the hour or day, oldest first",
      query: {
        metric: Schema.Literals(seriesMetrics).annotateKey({
          description:
            "What to show: `paid_amount`, `refunded_amount` and `chargeback_amount` in centavos, `delivery_p50` and `delivery_p95` in ms.",
        }),
        bucket: Schema.optionalKey(Schema.Literals(seriesBuckets)).annotateKey({
          description: "Hours (UTC), by default, or days of America/Sao_Paulo.",
        }),
        endpoint_id: Schema.optionalKey(Schema.String).annotateKey({
          description: "Only attempts to this webhook endpoint; for metrics of deliveries.",
        }),
        from: Schema.optionalKey(DateTimeText).annotateKey({
          description:
            "The first bucket is the one that this moment or date is in; a day, or 30 days, before `to` by default.",
          parameterSchema: dateTime,
        }),
        to: Schema.optionalKey(DateTimeText).annotateKey({
          description:
            "The last bucket is the one that this moment, or the end of this date, is in; now by default.",
          parameterSchema: dateTime,
        }),
      },
      success: listOf(SeriesPoint),
      errors: [...errors, "resource_not_found"],
    }),
    route.get("listRequests", "/v1/me/requests", {
      roles: rolesFor.reading,
      summary: "A mode's requests under API keys of the last 7 days, newest first",
      query: {
        ...pageQuery,
        ...windowQuery,
        status: Schema.optionalKey(Schema.Literals(requestStatuses)).annotateKey({
          description: "Only answers with such a status; `error` is 400 or more.",
        }),
        key_id: Schema.optionalKey(Schema.String).annotateKey({
          description: "Only requests of this API key, which may be revoked.",
        }),
        route: Schema.optionalKey(Schema.String).annotateKey({
          description: "Only requests of this route: the whole path, such as `/v1/transactions/{id}`.",
        }),
      },
      success: pageOf(LoggedRequest),
      errors: [...errors, "invalid_cursor"],
    }),
    route.get("listRequestErrors", "/v1/me/request-errors", {
      roles: rolesFor.reading,
      summary:
        "The newest 100 refused requests of a mode; `GET /v1/me/requests?status=error` has all of them",
      success: listOf(RequestError),
      errors,
    }),
    route.get("search", "/v1/me/search", {
      roles: rolesFor.reading,
      summary: "Find charges and other objects by id, txid, end-to-end id or customer's e-mail",
      query: {
        q: SearchText.annotateKey({
          description:
            "An id of any object, a txid, an end-to-end id, or a customer's e-mail address, whole.",
        }),
      },
      success: listOf(Found),
      errors,
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "What a dashboard plots, looks up and explains.")
