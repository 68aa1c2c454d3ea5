import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs"

/** What a reader of PDFs finds in one: its text, line by line, its title, its pages and how many pictures it draws. */
export const readPdf = async (bytes: Uint8Array) => {
  const task = getDocument({ data: new Uint8Array(bytes), verbosity: 0 })
  const document = await task.promise
  const page = await document.getPage(1)
  const { items } = await page.getTextContent()
  const text = items.map((item) => ("str" in item ? item.str + (item.hasEOL ? "\n" : "") : "")).join("")
  const { info } = await document.getMetadata()
  const { fnArray } = await page.getOperatorList()
  const { OPS } = await import("pdfjs-dist/legacy/build/pdf.mjs")
  const found = {
    text,
    title: (info as { readonly Title?: string }).Title,
    pages: document.numPages,
    pictures: fnArray.filter((operator) => operator === OPS.paintImageXObject).length,
  }
  await task.destroy()
  return found
}
