import { Context } from "effect"
import type { SealedPlace } from "../values/sealedPlaces.ts"

/** Turns a customer's document into the ciphertext that is stored for it in a place; `DocumentCipher` opens it there. */
export class DocumentSealer extends Context.Service<
  DocumentSealer,
  {
    readonly seal: (document: string, place: SealedPlace) => string
  }
>()("corrente/actors/DocumentSealer") {}
