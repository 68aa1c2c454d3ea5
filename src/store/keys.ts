/**
 * The names of all keys and channels, by ids. All keys of one seller have its partition's tag `{pNN}`, so that one commit touches one
 * slot (docs/architecture.md#rule-3). Each area's file declares its keys, and below them the functions that name them.
 */
export * from "./keys/accounts.ts"
export * from "./keys/channels.ts"
export * from "./keys/charges.ts"
export * from "./keys/deliveries.ts"
export * from "./keys/exceptions.ts"
export * from "./keys/feeds.ts"
export * from "./keys/money.ts"
export * from "./keys/service.ts"
export * from "./tags.ts"
