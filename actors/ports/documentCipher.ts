import { Context } from "effect"

/**
 * Restores the customers' documents in stored JSON: the plain document replaces a string value `enc:v1:…`, and everything else
 * stays as it is, byte for byte (docs/decisions/0059-ciphertext-at-rest.md).
 *
 * `restore` is synchronous and does not throw. A ciphertext that does not open (another `ENCRYPTION_KEY`) is left as it is,
 * which reveals nothing and keeps one bad row from stopping a whole feed.
 */
export class DocumentCipher extends Context.Service<
  DocumentCipher,
  {
    readonly restore: (data: string) => string
  }
>()("corrente/actors/DocumentCipher") {}
