/** What people type when they are asked for a code. */
export interface GivenCode {
  readonly kind: "totp" | "backup"
  readonly code: string
}

/** Tells the six digits of an authenticator app, with or without spaces, from a backup code. */
export const readCode = (text: string): GivenCode => {
  const digits = text.replace(/\s/g, "")
  return /^\d{6}$/.test(digits) ? { kind: "totp", code: digits } : { kind: "backup", code: text.trim() }
}

/** The base32 secret of an `otpauth:` URI, in groups of four that people can type. */
export const groupedSecret = (totpUri: string): string => {
  const secret = new URL(totpUri).searchParams.get("secret") ?? ""
  return (secret.match(/.{1,4}/g) ?? []).join(" ")
}
