const keptMillis = 60_000

/** Has the browser save bytes as a file of the user's downloads. */
export const saveFile = (bytes: Blob, name: string): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(bytes)
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // Browsers read the bytes after the click has been handled.
  setTimeout(() => URL.revokeObjectURL(link.href), keptMillis)
}
