import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { RateLimiter } from "../../../actors/ports/rateLimiter.ts"
import { Sender } from "../../../actors/ports/sender.ts"
import type { notificationsGroup } from "../../../schema/api/notifications.ts"
import { partitionOfId } from "../../../schema/ids.ts"
import { limits } from "../../../schema/limits.ts"
import type { Notifications, NotificationTested } from "../../../schema/resources/notifications.ts"
import { alertMessage } from "../../accounts/alerts/alertMessage.ts"
import { Alerts } from "../../accounts/alerts/alerts.ts"
import { SellerAudit } from "../../accounts/sellerAudit.ts"
import { alertTestText } from "../../mail/alertTexts.ts"
import { type NamedBucket, withinQuota } from "../contract/quota.ts"
import type { JsonReply } from "../server/reply.ts"
import type { GroupHandlers } from "../server/request.ts"

const json = (value: Notifications | NotificationTested): JsonReply => ({
  status: 200,
  body: JSON.stringify(value),
})

/** What the audit log tells: which alerts there are, not where they go, since a URL of a chat is a credential. */
const detailsOf = ({ data }: Notifications) => ({
  mail: data.flatMap(({ when, mail }) => (mail ? [when] : [])),
  url: data.flatMap(({ when, url }) => (url === undefined ? [] : [when])),
})

const testBucket = (sellerId: string): NamedBucket => ({
  policy: "notification-test",
  bucket: {
    partition: partitionOfId(sellerId) ?? 0,
    name: `notification-test:${sellerId}`,
    capacity: limits.alertTestsPerMinute,
    windowMillis: limits.rateWindowMillis,
  },
  message: `${limits.alertTestsPerMinute} test messages a minute are allowed. Try again after Retry-After.`,
})

/** Routes of a seller's alerts. */
export const makeNotificationHandlers = Effect.gen(function* () {
  const alerts = yield* Alerts
  const audit = yield* SellerAudit
  const limiter = yield* RateLimiter
  const sender = yield* Sender

  const handlers: GroupHandlers<typeof notificationsGroup> = {
    getNotifications: ({ principal }) => Effect.map(alerts.get(principal.sellerId), json),

    putNotifications: ({ principal, payload }) =>
      Effect.map(
        audit.does(
          principal,
          {
            action: "notifications.set",
            resourceType: "seller",
            resourceId: principal.sellerId,
            details: detailsOf(payload),
          },
          alerts.put(principal.sellerId, payload),
        ),
        json,
      ),

    testNotification: ({ principal, payload: { url } }) =>
      withinQuota(
        limiter,
        [testBucket(principal.sellerId)],
        Effect.gen(function* () {
          yield* alerts.check(url)
          const message = {
            url,
            id: `alert_${randomUUID().replaceAll("-", "")}`,
            text: alertTestText,
            attempt: 1,
          }
          const { outcome, statusCode, error } = yield* sender.send(alertMessage(message))
          return json({ delivered: outcome === "success", status_code: statusCode, error })
        }),
      ),
  }
  return handlers
})
