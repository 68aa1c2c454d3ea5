/**
 * An e-mail address as accounts and PIX keys are told apart by it: its ASCII letters in lower case, and all others as they
 * are. Unicode's own folding makes other people's addresses equal, such as those with U+212A, the sign for kelvin, and `k`.
 */
export const foldAddress = (address: string): string =>
  address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** An address as people may see it who need not know it: its first letter and its domain, `a***@example.com`. */
export const maskedEmail = (address: string): string => {
  const domain = address.slice(address.lastIndexOf("@"))
  const masked = `${[...address][0] ?? ""}***${domain}`
  // An address may have stars of its own, and masking would show all of it.
  return masked.includes(address) ? `...${domain}` : masked
}
