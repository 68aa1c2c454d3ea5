// What API keys may be allowed to do. Pages load it, so this file loads no package.

/** Every scope of an API key, in the order in which keys show them (`docs/contract/api-keys.md#scopes`). */
export const apiKeyScopes = [
  "charges:read",
  "charges:write",
  "refunds:write",
  "withdrawals:read",
  "withdrawals:write",
  "events:read",
  "deliveries:read",
  "deliveries:write",
  "balance:read",
  "ledger:read",
] as const
export type ApiKeyScope = (typeof apiKeyScopes)[number]
