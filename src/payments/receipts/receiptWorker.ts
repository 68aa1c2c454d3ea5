// Runs in the thread that writes receipts: a logo is decoded there, which takes long, and a broken one ends the thread alone.
import PDFDocument from "pdfkit"
import { printable } from "./printable.ts"
import type { Receipt } from "./receipt.ts"

type Document = InstanceType<typeof PDFDocument>

const margin = 56
const labelWidth = 150
const ink = "#111827"
const quiet = "#4b5563"
const line = "#d1d5db"

const drawHead = (document: Document, { logo, issuer, shop, color, testMode }: Receipt): void => {
  document.rect(0, 0, document.page.width, 8).fill(color ?? "#0b6b58")
  if (testMode !== undefined) {
    document.font("Helvetica-Bold").fontSize(10).fillColor("#92400e").text(printable(testMode))
    document.moveDown(1)
  }
  if (logo !== undefined) {
    const { y } = document
    document.image(Buffer.from(logo, "base64"), margin, y, { fit: [160, 40] })
    document.y = y + 52
  }
  document.font("Helvetica-Bold").fontSize(13).fillColor(ink).text(printable(issuer), margin)
  if (shop !== undefined) document.font("Helvetica").fontSize(10).fillColor(quiet).text(printable(shop))
}

const drawFacts = (document: Document, { facts }: Receipt): void => {
  const { width } = document.page
  const valueWidth = width - 2 * margin - labelWidth
  for (const { label, value, isCode = false } of facts) {
    const { y } = document
    document.font("Helvetica").fontSize(10).fillColor(quiet)
    document.text(printable(label), margin, y, { width: labelWidth - 12 })
    const afterLabel = document.y
    document
      .font(isCode ? "Courier" : "Helvetica")
      .fontSize(isCode ? 9.5 : 10.5)
      .fillColor(ink)
    document.text(printable(value), margin + labelWidth, y, { width: valueWidth })
    const bottom = Math.max(document.y, afterLabel) + 7
    document
      .moveTo(margin, bottom)
      .lineTo(width - margin, bottom)
      .lineWidth(0.5)
      .strokeColor(line)
      .stroke()
    document.y = bottom + 8
  }
}

const draw = (document: Document, receipt: Receipt): void => {
  drawHead(document, receipt)
  document.moveDown(1.6)
  document.font("Helvetica-Bold").fontSize(18).fillColor(ink).text(printable(receipt.title))
  document.moveDown(0.3)
  document.font("Helvetica-Bold").fontSize(30).text(printable(receipt.amount))
  document.moveDown(1)
  drawFacts(document, receipt)
  document.moveDown(0.8)
  document.font("Helvetica").fontSize(9).fillColor(quiet)
  document.text(printable(receipt.footer), margin, document.y, { width: document.page.width - 2 * margin })
}

/** The PDF of a receipt, a page of A4. */
export default async (receipt: Receipt): Promise<Uint8Array> => {
  const document = new PDFDocument({
    size: "A4",
    margin,
    lang: receipt.language,
    displayTitle: true,
    info: { Title: receipt.title, Author: printable(receipt.issuer), Creator: "Corrente" },
  })
  const chunks: Array<Uint8Array> = []
  const whole = new Promise<Uint8Array>((resolve, reject) => {
    document.on("data", (chunk: Uint8Array) => chunks.push(chunk))
    document.on("end", () => resolve(new Uint8Array(Buffer.concat(chunks))))
    document.on("error", reject)
  })
  draw(document, receipt)
  document.end()
  return whole
}
