// What the password pool's threads run. bcrypt reads 72 bytes at most: the hash before it lets every character count.
import { hash } from "node:crypto"
import { compareSync, hashSync } from "bcryptjs"

/** decisions 4. */
const costLog2 = 12

/** A password to hash; or, with `hashed`, to compare. */
export interface PasswordJob {
  readonly password: string
  readonly hashed?: string
}

const digestOf = (password: string): string => hash("sha256", password, "base64")

/** The hash of a password, or "1" where it is the one that `hashed` is of, else "". */
export default ({ password, hashed }: PasswordJob): string => {
  if (hashed === undefined) return hashSync(digestOf(password), costLog2)
  return compareSync(digestOf(password), hashed) ? "1" : ""
}
