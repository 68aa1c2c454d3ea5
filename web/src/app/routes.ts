import type { ComponentType } from "preact"
import type { PageParams, Params } from "./router.tsx"

/** Who may see a page: anybody, or a signed-in seller's user, or an operator. */
type Audience = "anyone" | "seller" | "operator" | "signedIn"

export interface Route {
  /** Below `/app`, with `:name` parameters. */
  readonly path: string
  readonly audience: Audience
  readonly load: () => Promise<{ readonly default: ComponentType<PageParams> }>
}

/** All pages. Each is loaded when it is first opened. */
const routes: ReadonlyArray<Route> = [
  { path: "/sign-in", audience: "anyone", load: () => import("../pages/account/signIn.tsx") },
  { path: "/sign-up", audience: "anyone", load: () => import("../pages/account/signUp.tsx") },
  { path: "/join", audience: "anyone", load: () => import("../pages/account/join.tsx") },
  { path: "/reset-password", audience: "anyone", load: () => import("../pages/account/resetPassword.tsx") },
  {
    path: "/two-factor-recovery",
    audience: "anyone",
    load: () => import("../pages/account/twoFactorRecovery.tsx"),
  },
  { path: "/verify-email", audience: "anyone", load: () => import("../pages/account/verifyEmail.tsx") },
  { path: "/settings", audience: "signedIn", load: () => import("../pages/account/settings.tsx") },
  { path: "/settings/reports", audience: "seller", load: () => import("../pages/account/reports.tsx") },
  { path: "/settings/team", audience: "seller", load: () => import("../pages/account/team.tsx") },
  { path: "/settings/activity", audience: "seller", load: () => import("../pages/account/activity.tsx") },
  { path: "/settings/alerts", audience: "seller", load: () => import("../pages/account/alerts.tsx") },

  { path: "/", audience: "seller", load: () => import("../pages/home/home.tsx") },
  { path: "/charges", audience: "seller", load: () => import("../pages/charges/charges.tsx") },
  { path: "/charges/:id", audience: "seller", load: () => import("../pages/charges/charge.tsx") },
  { path: "/refunds", audience: "seller", load: () => import("../pages/charges/refunds.tsx") },
  { path: "/links", audience: "seller", load: () => import("../pages/links/links.tsx") },
  { path: "/links/:id", audience: "seller", load: () => import("../pages/links/link.tsx") },
  { path: "/customers", audience: "seller", load: () => import("../pages/customers/customers.tsx") },
  { path: "/customers/:id", audience: "seller", load: () => import("../pages/customers/customer.tsx") },
  { path: "/test", audience: "seller", load: () => import("../pages/testMode/testMode.tsx") },

  { path: "/withdrawals", audience: "seller", load: () => import("../pages/money/withdrawals.tsx") },
  { path: "/withdrawals/:id", audience: "seller", load: () => import("../pages/money/withdrawal.tsx") },
  { path: "/balance", audience: "seller", load: () => import("../pages/money/balance.tsx") },

  { path: "/webhooks", audience: "seller", load: () => import("../pages/webhooks/webhooks.tsx") },
  { path: "/webhooks/:id", audience: "seller", load: () => import("../pages/webhooks/endpoint.tsx") },
  { path: "/deliveries", audience: "seller", load: () => import("../pages/webhooks/deliveries.tsx") },
  { path: "/deliveries/:id", audience: "seller", load: () => import("../pages/webhooks/delivery.tsx") },
  { path: "/events", audience: "seller", load: () => import("../pages/events/events.tsx") },
  { path: "/developers", audience: "seller", load: () => import("../pages/developers/developers.tsx") },

  { path: "/admin", audience: "operator", load: () => import("../pages/admin/desk.tsx") },
  { path: "/admin/health", audience: "operator", load: () => import("../pages/admin/health.tsx") },
  { path: "/admin/withdrawals", audience: "operator", load: () => import("../pages/admin/withdrawals.tsx") },
  { path: "/admin/to-pay", audience: "operator", load: () => import("../pages/admin/toPay.tsx") },
  { path: "/admin/exceptions", audience: "operator", load: () => import("../pages/admin/exceptions.tsx") },
  { path: "/admin/charges/:id", audience: "operator", load: () => import("../pages/admin/charge.tsx") },
  { path: "/admin/sellers", audience: "operator", load: () => import("../pages/admin/sellers.tsx") },
  { path: "/admin/sellers/:id", audience: "operator", load: () => import("../pages/admin/seller.tsx") },
  { path: "/admin/invites", audience: "operator", load: () => import("../pages/admin/invites.tsx") },
  { path: "/admin/deliveries", audience: "operator", load: () => import("../pages/admin/deliveries.tsx") },
  { path: "/admin/pix-keys", audience: "operator", load: () => import("../pages/admin/pixKeys.tsx") },
  { path: "/admin/inbox", audience: "operator", load: () => import("../pages/admin/inbox.tsx") },
  { path: "/admin/closings", audience: "operator", load: () => import("../pages/admin/closings.tsx") },
  { path: "/admin/audit", audience: "operator", load: () => import("../pages/admin/audit.tsx") },

  // For whoever works on the pages: no build has it.
  ...(import.meta.env.DEV
    ? [{ path: "/ui", audience: "anyone", load: () => import("../pages/kit/kit.tsx") } as const]
    : []),
]

const matchOf = (pattern: string, path: string): Params | undefined => {
  const wanted = pattern.split("/")
  const given = path.split("/")
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ""
    if (part.startsWith(":")) params[part.slice(1)] = value
    else if (part !== value) return undefined
  }
  return params
}

/** The page of a path below `/app`; undefined where there is none. */
export const findRoute = (path: string): { readonly route: Route; readonly params: Params } | undefined => {
  for (const route of routes) {
    const params = matchOf(route.path, path)
    if (params !== undefined) return { route, params }
  }
  return undefined
}
