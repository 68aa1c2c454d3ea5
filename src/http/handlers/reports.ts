import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import type { reportsGroup } from "../../../schema/api/reports.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import { Reports } from "../../accounts/reports/reports.ts"
import { type NamedBucket, withinQuota } from "../contract/quota.ts"
import type { GroupHandlers } from "../server/request.ts"

const madeBucket = (sellerId: string): NamedBucket => ({
  policy: "reports",
  bucket: {
    partition: partitionOfId(sellerId) ?? 0,
    name: `reports:${sellerId}`,
    capacity: limits.reportsMadePerHour,
    windowMillis: 60 * 60 * 1000,
  },
  message: `${limits.reportsMadePerHour} reports an hour can be made. Try again after Retry-After.`,
})

const sentBucket = (id: string): NamedBucket => ({
  policy: "report",
  bucket: {
    partition: partitionOfId(id) ?? 0,
    name: `report:${id}`,
    capacity: limits.reportSendsPerHour,
    windowMillis: 60 * 60 * 1000,
  },
  message: `This report was sent ${limits.reportSendsPerHour} times within an hour. Send it again after Retry-After.`,
})

/** Routes of reports by mail (docs/contract/reports.md). */
export const makeReportHandlers = Effect.gen(function* () {
  const reports = yield* Reports
  const limiter = yield* RateLimiter

  const handlers: GroupHandlers<typeof reportsGroup> = {
    listReports: ({ principal }) =>
      Effect.map(reports.list(principal), (data) => ({ status: 200, body: JSON.stringify({ data }) })),

    createReport: ({ principal, payload, session: { userId } }) =>
      withinQuota(
        limiter,
        [madeBucket(principal.sellerId)],
        Effect.map(reports.create(principal, userId, payload), (report) => ({
          status: 201,
          body: JSON.stringify(report),
        })),
      ),

    sendReport: Effect.fnUntraced(function* ({ principal, params: { id } }) {
      const report = yield* reports.get(principal, id)
      const sent = Effect.map(reports.sendNow(principal, report), (body) => ({
        status: 202,
        body: JSON.stringify(body),
      }))
      return yield* withinQuota(limiter, [sentBucket(report.id)], sent)
    }),

    deleteReport: ({ principal, params: { id } }) =>
      Effect.as(reports.remove(principal, id), { status: 204, body: "" }),
  }
  return handlers
})
