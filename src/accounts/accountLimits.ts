/** Bounds of accounts, each with its reason; beside those of schema/limits.ts. */
export const accountLimits = {
  /** spec 8. */
  passwordLengthMin: 12,
  /** decisions 4. */
  passwordLengthMax: 256,
  /** A name on screens and in mails, as long as a customer's (spec 2). */
  nameLengthMax: 120,
  /** Hashes at a time in a process: each takes a core for a third of a second, and requests need the others. */
  passwordWorkersMax: 2,
  /** An address whose creation died is free again after this. */
  emailClaimMillis: 120_000,
  /** A creation that takes longer is given up: its claim must still be its own when it is made to last. */
  accountCreationMillisMax: 60_000,
  /** API keys whose owner a process remembers: 200 bytes each. */
  cachedApiKeysMax: 10_000,
} as const

if (accountLimits.accountCreationMillisMax > accountLimits.emailClaimMillis / 2) {
  throw new Error("src/accounts/accountLimits.ts: a claim must outlive its creation by far")
}
