import { Context } from "effect"

/**
 * Restores what stored JSON hides or leaves out: the plain document of a customer replaces a string value `enc:v2:…`
 * (docs/decisions/0059-ciphertext-at-rest.md), a charge's QR picture fills its empty `qr_base64`
 * (docs/decisions/0072-pictures-are-not-stored.md), the link to its payment page its empty `payment_url`
 * (docs/decisions/0083-payment-pages.md), and everything else stays as it is, byte for byte.
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
