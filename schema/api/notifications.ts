import { HttpApiGroup, OpenApi } from "effect/http-api"
import { rolesFor } from "../memberRoles.ts"
import { Notifications, NotificationTest, NotificationTested } from "../resources/notifications.ts"
import { route } from "./route.ts"
import { SellerAuth } from "./security.ts"

const change = [
  ...(["validation_failed", "invalid_url", "length_required", "payload_too_large"] as const),
  ...(["unsupported_media_type", "session_required", "origin_not_allowed"] as const),
  ...(["permission_denied", "mfa_required"] as const),
]

/** Alerts of a seller (`docs/contract/notifications.md`). */
export const notificationsGroup = HttpApiGroup.make("notifications")
  .add(
    route.get("getNotifications", "/v1/me/notifications", {
      roles: rolesFor.reading,
      summary: "What the seller is told of by mail or in a chat",
      success: Notifications,
      errors: ["session_required", "permission_denied"],
    }),
    route.put("putNotifications", "/v1/me/notifications", {
      roles: rolesFor.owning,
      summary: "Set what the seller is told of by mail or in a chat",
      stepUp: "webhook",
      payload: Notifications,
      success: Notifications,
      errors: [...change],
    }),
    route.post("testNotification", "/v1/me/notifications/test", {
      roles: rolesFor.owning,
      summary: "Send a test message to a URL, and answer what became of it",
      stepUp: "webhook",
      payload: NotificationTest,
      success: NotificationTested,
      errors: [...change, "rate_limited"],
    }),
  )
  .middleware(SellerAuth)
  .annotate(OpenApi.Description, "What a seller is told of by mail or in a chat, in live mode.")
