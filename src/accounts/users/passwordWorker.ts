// Runs in the threads of the password pool. bcrypt reads at most 72 bytes; hashing first makes every character count.
import { hash } from "node:crypto"
import { compareSync, hashSync } from "bcryptjs"

/** bcrypt cost (docs/decisions/0052-password-hashes.md). */
const costLog2 = 12

/** A password to hash or, with `hashed`, to compare. */
export interface PasswordJob {
  readonly password: string
  readonly hashed?: string
}

const digestOf = (password: string): string => hash("sha256", password, "base64")

/** The hash of the password; when comparing, "1" for a match and "" otherwise. */
export default ({ password, hashed }: PasswordJob): string => {
  if (hashed === undefined) return hashSync(digestOf(password), costLog2)
  return compareSync(digestOf(password), hashed) ? "1" : ""
}
