import { Context } from "effect"
import type { SealedPlace } from "../values/sealedPlaces.ts"

/** Opens secrets that are ciphertext at rest; undefined for one that does not open under `ENCRYPTION_KEY` in this place. */
export class SecretOpener extends Context.Service<
  SecretOpener,
  {
    readonly open: (ciphertext: string, place: SealedPlace) => string | undefined
  }
>()("corrente/actors/SecretOpener") {}

/** Turns a customer's document into the ciphertext that is stored for it in a place; `ChargeRenderer` opens it there. */
export class DocumentSealer extends Context.Service<
  DocumentSealer,
  {
    readonly seal: (document: string, place: SealedPlace) => string
  }
>()("corrente/actors/DocumentSealer") {}
