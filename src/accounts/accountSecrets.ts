import { Context } from "effect"

/** Makes and protects the secrets of accounts; ciphers and signing secrets are made elsewhere. */
export class AccountSecrets extends Context.Service<
  AccountSecrets,
  {
    /** A new signing secret (docs/contract/endpoints.md#secret). */
    readonly signingSecret: () => string
    /** The stored ciphertext of a secret (docs/decisions/0059-ciphertext-at-rest.md). */
    readonly seal: (secret: string) => string
    /**
     * A fingerprint: equal for equal texts and useless for guessing them. HMAC-SHA256 in base64url under a key
     * derived from `ENCRYPTION_KEY`.
     */
    readonly fingerprint: (text: string) => string
  }
>()("corrente/accounts/AccountSecrets") {}
