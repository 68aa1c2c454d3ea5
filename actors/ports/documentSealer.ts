import { Context } from "effect"

/** Turns a customer's document into the ciphertext that is stored in its place; `DocumentCipher` opens it. */
export class DocumentSealer extends Context.Service<
  DocumentSealer,
  {
    readonly seal: (document: string) => string
  }
>()("corrente/actors/DocumentSealer") {}
