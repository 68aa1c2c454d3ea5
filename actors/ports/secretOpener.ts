import { Context } from "effect"

/** Opens secrets that are ciphertext at rest; undefined for one that this `ENCRYPTION_KEY` cannot open. */
export class SecretOpener extends Context.Service<
  SecretOpener,
  {
    readonly open: (ciphertext: string) => string | undefined
  }
>()("corrente/actors/SecretOpener") {}
