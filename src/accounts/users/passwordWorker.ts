// Runs in the threads of the password pool. bcrypt reads at most 72 bytes; hashing first makes every character count.
import { hash } from "node:crypto"
import { compareSync, hashSync } from "bcryptjs"

/** A password to hash at a cost or, with `hashed`, to compare. */
export type PasswordJob =
  | { readonly password: string; readonly cost: number }
  | { readonly password: string; readonly hashed: string }

const digestOf = (password: string): string => hash("sha256", password, "base64")

/** The hash of the password; when comparing, "1" for a match and "" otherwise. */
export default (job: PasswordJob): string => {
  if ("cost" in job) return hashSync(digestOf(job.password), job.cost)
  return compareSync(digestOf(job.password), job.hashed) ? "1" : ""
}
