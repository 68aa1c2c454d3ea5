import { Context } from "effect"

/** What accounts need to make and keep secrets; the ciphers and the format of signing secrets are not theirs. */
export class AccountSecrets extends Context.Service<
  AccountSecrets,
  {
    /** A fresh signing secret: `whsec_` and 43 characters (decisions 5). */
    readonly signingSecret: () => string
    /** Its ciphertext under `ENCRYPTION_KEY`, as it is stored (decisions 4). */
    readonly seal: (secret: string) => string
    /** The same of the same text, and no help in guessing it: HMAC-SHA256 under a key of `ENCRYPTION_KEY`'s, in base64url. */
    readonly fingerprint: (text: string) => string
  }
>()("corrente/accounts/AccountSecrets") {}
