import { type ApiKeyScope, apiKeyScopes } from "../../schema/apiKeyScopes.ts"

/** What an API key may do and from where. Neither ever changes (docs/contract/api-keys.md#scopes). */
export interface ApiKeyAccess {
  /** In the order of `apiKeyScopes`. */
  readonly scopes: ReadonlyArray<ApiKeyScope>
  /** Addresses and CIDR ranges that it works from; empty: from anywhere. */
  readonly allowedIps: ReadonlyArray<string>
}

/** Everything, from anywhere. */
export const fullAccess: ApiKeyAccess = { scopes: apiKeyScopes, allowedIps: [] }

/** The bit that stands for a scope. */
export const scopeBit = (scope: ApiKeyScope): number => 1 << apiKeyScopes.indexOf(scope)

/** The bits of scopes together, so that a request's check is one comparison. */
export const scopeBits = (scopes: ReadonlyArray<ApiKeyScope>): number =>
  scopes.reduce((bits, scope) => bits | scopeBit(scope), 0)

/** The scopes of a list, each once and in order. */
export const inOrder = (scopes: ReadonlyArray<ApiKeyScope>): ReadonlyArray<ApiKeyScope> =>
  apiKeyScopes.filter((scope) => scopes.includes(scope))
