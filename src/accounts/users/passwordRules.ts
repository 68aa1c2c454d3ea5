import { dictionary } from "@zxcvbn-ts/language-common"
import { Effect } from "effect"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"

/** The most common passwords of published leaks, in lower case. */
const common: ReadonlySet<string> = new Set(dictionary["passwords-common"])

/** Whether a password is among the first an attacker tries, in any case. */
export const isCommonPassword = (password: string): boolean => common.has(password.toLowerCase())

/** Whether a password is the e-mail address of its user or the part before `@`, in any case. */
const isOwnAddress = (password: string, email: string): boolean => {
  const [text, address] = [password.toLowerCase(), email.toLowerCase()]
  return text === address || text === address.slice(0, address.lastIndexOf("@"))
}

/** Fails with 400 `validation_failed` at `param` if a new password is easy to guess. The contract checks its length. */
export const checkNewPassword = (
  param: "password" | "newPassword",
  password: string,
  email: string,
): Effect.Effect<void, ApiError> => {
  const refuse = (reason: string) => Effect.fail(validationFailed(param, `${param} ${reason}`))
  if (isOwnAddress(password, email)) {
    return refuse("must not be the e-mail address. Choose one that nobody who knows you would try.")
  }
  if (isCommonPassword(password)) {
    return refuse(
      "is among the passwords that attackers try first. Choose another, such as four random words.",
    )
  }
  return Effect.void
}
