import { Context } from "effect"
import type { SealedPlace } from "../../actors/values/sealedPlaces.ts"

/** Makes and protects the secrets of accounts; ciphers and signing secrets are made elsewhere. */
export class AccountSecrets extends Context.Service<
  AccountSecrets,
  {
    /** A new signing secret (docs/contract/endpoints.md#secret). */
    readonly signingSecret: () => string
    /** The ciphertext of a secret, as it is stored in that place (docs/decisions/0105-ciphertext-names-its-key-and-its-place.md). */
    readonly seal: (secret: string, place: SealedPlace) => string
    /**
     * Fingerprints: equal for equal texts and useless for guessing them. HMAC-SHA256 in base64url under keys derived from those of
     * `ENCRYPTION_KEY`, newest first: the first is stored, and what may have been stored before is looked up by all.
     */
    readonly fingerprints: (text: string) => readonly [string, ...ReadonlyArray<string>]
  }
>()("corrente/accounts/AccountSecrets") {}
