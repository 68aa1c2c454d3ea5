/** What a canvas shows, as a PNG. Fails where the browser draws none. */
export const pngOf = async (canvas: HTMLCanvasElement): Promise<Blob> => {
  const png = await new Promise<Blob | null>((drawn) => canvas.toBlob(drawn, "image/png"))
  if (png === null) throw new Error("This browser draws no pictures")
  return png
}
