/**
 * The setting under which a password takes a millisecond of CPU instead of 300. Tests of what passwords cost set
 * `PASSWORD_COST: "12"` for themselves.
 */
export const cheapPasswords = { PASSWORD_COST: "4" } as const
