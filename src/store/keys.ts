/**
 * Every key and channel name of the service, and the key families that `ops streams` lists. Each aggregate's stand in the
 * `keys.ts` beside its store; all keys of one seller have its partition's tag `{pNN}`, so that one commit touches one slot
 * (docs/architecture.md#rule-3). docs/redis-keys.md lists the same names.
 */
export * from "./apiKeys/keys.ts"
export * from "./deliveries/keys.ts"
export * from "./endpoints/keys.ts"
export * from "./events/keys.ts"
export * from "./idempotency/keys.ts"
export * from "./inbox/keys.ts"
export * from "./ledger/keys.ts"
export * from "./operatorLog/keys.ts"
export * from "./partitions/keys.ts"
export * from "./pixKeys/keys.ts"
export * from "./rateLimits/keys.ts"
export * from "./refunds/keys.ts"
export * from "./sellers/keys.ts"
export * from "./service/keys.ts"
export * from "./sessions/keys.ts"
export * from "./tags.ts"
export * from "./timers/keys.ts"
export * from "./transactions/keys.ts"
export * from "./twoFactor/keys.ts"
export * from "./users/keys.ts"
export * from "./withdrawals/keys.ts"
