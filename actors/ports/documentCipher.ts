import { Context } from "effect"

/**
 * Gives stored JSON its customers' documents back: where `enc:v1:…` stands as a string value, the plain document does
 * after `restore` (decisions 4). Everything else of the text stays as it is, byte for byte.
 *
 * `restore` is synchronous and does not throw: a ciphertext that does not open (another `ENCRYPTION_KEY`) is left as
 * it stands, which reveals nothing and keeps one bad row from stopping a whole feed.
 */
export class DocumentCipher extends Context.Service<
  DocumentCipher,
  {
    readonly restore: (data: string) => string
  }
>()("corrente/actors/DocumentCipher") {}
