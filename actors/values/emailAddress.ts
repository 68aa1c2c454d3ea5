/**
 * An e-mail address as accounts and PIX keys are told apart by it: its ASCII letters in lower case, and all others as they
 * are. Unicode's own folding makes other people's addresses equal, such as those with U+212A, the sign for kelvin, and `k`.
 */
export const foldAddress = (address: string): string =>
  address.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
