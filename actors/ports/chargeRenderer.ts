import { Context } from "effect"

/**
 * Renders stored JSON for callers. A charge gets its customer's plain document in place of the ciphertext `enc:v2:…`
 * (docs/decisions/0105-ciphertext-names-its-key-and-its-place.md), its QR picture (docs/decisions/0072-pictures-are-not-stored.md) and the link to its
 * payment page (docs/decisions/0083-payment-pages.md), and a payment link its address. All other texts, and all other bytes of a charge, stay as they are.
 *
 * `render` does not throw. A ciphertext that does not open (another `ENCRYPTION_KEY`) and a text that is no whole charge stay as they
 * are, so that one bad row does not stop a whole feed.
 */
export class ChargeRenderer extends Context.Service<
  ChargeRenderer,
  {
    readonly render: (stored: string) => string
    /** A charge without `items`, `pix.payload` and `pix.qr_base64` (docs/contract/transactions.md#summary). */
    readonly renderSummary: (stored: string) => string
  }
>()("corrente/actors/ChargeRenderer") {}
