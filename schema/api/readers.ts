import { Context } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { ApiKeyAuth, BrowserGuard, FeedAuth, OperatorAuth, SellerAuth, UserAuth } from "./security.ts"

/** Whom routes are written for (`docs/contract/README.md#openapi`). */
export const readers = ["merchant", "dashboard", "operator", "partner"] as const
export type Reader = (typeof readers)[number]

/** What each reader is told about its part of the contract. */
export const readerDescriptions: Readonly<Record<Reader, string>> = {
  merchant: "For servers of merchants: charges, refunds, withdrawals and events, under an API key.",
  dashboard: "For dashboards of sellers: the same money, and the account behind it, under a session.",
  operator: "For operators of the service and its monitoring: sellers, decisions and books.",
  partner: "For acquirers: where they send their notices.",
}

/** Names the readers of routes that take no credential. */
export const Readers = Context.Reference<ReadonlyArray<Reader>>("corrente/schema/Readers", {
  defaultValue: () => [],
})

const readersOfGuard: Readonly<Record<string, ReadonlyArray<Reader>>> = {
  [ApiKeyAuth.key]: ["merchant"],
  [FeedAuth.key]: ["merchant", "dashboard"],
  [SellerAuth.key]: ["dashboard"],
  [UserAuth.key]: ["dashboard", "operator"],
  [BrowserGuard.key]: ["dashboard", "operator"],
  [OperatorAuth.key]: ["operator"],
}

/** Whom a route is for: who holds the credential that it takes. */
export const readersOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<Reader> => {
  const named = Context.get(endpoint.annotations, Readers)
  if (named.length > 0) return named
  return [...endpoint.middlewares].flatMap(({ key }) => readersOfGuard[key] ?? [])
}

/** The credential that a reader has; a route that takes several is shown with this one. */
export const credentialOf: Readonly<Record<Reader, string | undefined>> = {
  merchant: "apiKey",
  dashboard: "session",
  operator: "session",
  partner: undefined,
}
