/** Stream: mails, if SMTP_URL is not set (docs/contract/accounts.md#mail). */
export const mailKey = "mail"

/** String: the address in mailed links: PUBLIC_URL, or where the service listens. */
export const serviceAddressKey = "service-address"

/** String: a sample sealed with the `ENCRYPTION_KEY` that this Redis was first used with. */
export const encryptionSampleKey = "encryption-sample"
