import { makeBrCodeBuilder } from "../../src/pixCode/brCode.ts"
import { encodePngBase64, encodeQrPngBase64 } from "../../src/pixCode/qrPng.ts"
import { encodeQrSymbol } from "../../src/pixCode/qrSymbol.ts"
import { microBench } from "./microBench.ts"

const buildBrCode = makeBrCodeBuilder({ merchantName: "Padaria São João", merchantCity: "São Paulo" })
const locations = Array.from({ length: 64 }, (_, index) => {
  const hex = (0x1234_5678 * (index + 1)).toString(16).padStart(16, "0").slice(-16)
  return `pix.corrente.test/qr/v2/${hex}${hex}`
})
const payloads = locations.map(buildBrCode)
const symbols = payloads.map(encodeQrSymbol)

export const brCodeBench = microBench("BR code", locations, buildBrCode)
export const qrSymbolBench = microBench("QR symbol", payloads, (payload) => encodeQrSymbol(payload).rows)
export const qrPngBench = microBench("PNG in base64", symbols, encodePngBase64)
export const chargeCodeBench = microBench("the three together", locations, (location) =>
  encodeQrPngBase64(buildBrCode(location)),
)
