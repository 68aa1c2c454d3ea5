import { pngOf } from "../../ui/pngOf.ts"

const pixelsMin = 1_000

/** A QR code as a PNG of at least 1,000 pixels a side, which chats and printers take. */
export const qrPicture = async (text: string): Promise<Blob> => {
  const { encodeQR } = await import("qr")
  const rows = encodeQR(text, "raw", { border: 4 })
  const scale = Math.ceil(pixelsMin / rows.length)
  const canvas = document.createElement("canvas")
  canvas.width = rows.length * scale
  canvas.height = canvas.width
  const context = canvas.getContext("2d")
  if (context === null) throw new Error("This browser draws no pictures")
  for (const [y, row] of rows.entries()) {
    for (const [x, isDark] of row.entries()) {
      context.fillStyle = isDark ? "#000000" : "#ffffff"
      context.fillRect(x * scale, y * scale, scale, scale)
    }
  }
  return pngOf(canvas)
}

/** A file's name from what a link is called: `qr-oficina-de-ceramica.png`. */
export const qrFileName = (title: string): string => {
  const words = title
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return `${["qr", ...(words ?? [])].join("-").slice(0, 60)}.png`
}
