import { paymentUrlLeftOut, pictureLeftOut } from "../../actors/seller/decisions/transactionDocument.ts"
import { encodeQrPngBase64 } from "../../src/pixCode/qrPng.ts"
import {
  type DeliveryTemplate,
  placeholderDocument,
  placeholderId,
  templateDocument,
} from "../load/deliveryProtocol.ts"
import { makeBareCharge, makeBarePayload } from "../peers/bareCharge.ts"
import { encryptionKey } from "../support/sides.ts"
import { deliveredType } from "./endpoints.ts"

const body = {
  amount: 12_990,
  customer: {
    name: "Maria Aparecida de Souza",
    email: "maria.souza@example.com",
    document: templateDocument,
    phone: "+5511987654321",
  },
  items: [
    { name: "Camiseta básica algodão M", quantity: 2, unit_amount: 4_990 },
    { name: "Frete", quantity: 1, unit_amount: 1_990 },
  ],
  metadata: { order_id: "2026-0001234", channel: "web" },
}

/** The text of a charge as the service stores it: without what follows from the rest. */
const leavingOut = (text: string): string => {
  const link = /(?<="payment_url":")[^"]+/
  const picture = /(?<="qr_base64":")[^"]+/
  if (!link.test(text) || !picture.test(text))
    throw new Error("the charge has no link or picture to leave out")
  return text.replace(link, paymentUrlLeftOut).replace(picture, pictureLeftOut)
}

/** A paid charge. The service draws its picture, as the process that created the charge did for the answer. */
export const makeTemplate = (): DeliveryTemplate => {
  const payload = makeBarePayload()
  const pix = { payload, qr: encodeQrPngBase64(payload) }
  const charge = makeBareCharge(body, 0, pix, () => placeholderDocument)
  const paidAt = new Date().toISOString()
  const paid = (text: string): string =>
    text
      .replace(charge.id, placeholderId)
      .replace('"status":"pending"', '"status":"paid"')
      .replace('"paid_at":null', `"paid_at":"${paidAt}"`)
      .replace('"end_to_end_id":null', `"end_to_end_id":"E00000000202611211200${"A".repeat(11)}"`)
  return {
    type: deliveredType,
    stored: leavingOut(paid(charge.document)),
    shown: paid(charge.answer),
    encryptionKey,
  }
}
