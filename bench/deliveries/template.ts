import { makeCipher } from "../../src/crypto/cipher.ts"
import { type DeliveryTemplate, placeholderId } from "../load/deliveryProtocol.ts"
import { makeBareCharge, makeBarePayload } from "../peers/bareCharge.ts"
import { encodeBareQr } from "../peers/bareQr.ts"
import { encryptionKey } from "../support/sides.ts"
import { deliveredType } from "./endpoints.ts"

const body = {
  amount: 12_990,
  customer: {
    name: "Maria Aparecida de Souza",
    email: "maria.souza@example.com",
    document: "52998224725",
    phone: "+5511987654321",
  },
  items: [
    { name: "Camiseta básica algodão M", quantity: 2, unit_amount: 4_990 },
    { name: "Frete", quantity: 1, unit_amount: 1_990 },
  ],
  metadata: { order_id: "2026-0001234", channel: "web" },
}

/** A paid charge with its QR. */
export const makeTemplate = (): DeliveryTemplate => {
  const payload = makeBarePayload()
  const { seal } = makeCipher(Buffer.from(encryptionKey, "base64"))
  const charge = makeBareCharge(body, 0, { payload, qr: encodeBareQr(payload) }, seal)
  const paidAt = new Date().toISOString()
  const paid = (text: string): string =>
    text
      .replace(charge.id, placeholderId)
      .replace('"status":"pending"', '"status":"paid"')
      .replace('"paid_at":null', `"paid_at":"${paidAt}"`)
      .replace('"end_to_end_id":null', `"end_to_end_id":"E00000000202611211200${"A".repeat(11)}"`)
  return { type: deliveredType, stored: paid(charge.document), shown: paid(charge.answer) }
}
