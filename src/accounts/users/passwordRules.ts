import { Effect } from "effect"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"

let common: Promise<ReadonlySet<string>> | undefined

const loadCommon = async (): Promise<ReadonlySet<string>> => {
  const { dictionary } = await import("@zxcvbn-ts/language-common")
  return new Set(dictionary["passwords-common"])
}

/**
 * The most common passwords of published leaks, in lower case. They are unpacked for the first password that somebody chooses:
 * most processes never need them.
 */
const commonPasswords: Effect.Effect<ReadonlySet<string>> = Effect.promise(() => {
  common ??= loadCommon()
  return common
})

/** Whether a password is the e-mail address of its user or the part before `@`, in any case. */
const isOwnAddress = (password: string, email: string): boolean => {
  const [text, address] = [password.toLowerCase(), email.toLowerCase()]
  return text === address || text === address.slice(0, address.lastIndexOf("@"))
}

/** Fails with 400 `validation_failed` at `param` if a new password is easy to guess. The contract checks its length. */
export const checkNewPassword = Effect.fnUntraced(function* (
  param: "password" | "newPassword",
  password: string,
  email: string,
) {
  const refuse = (reason: string): ApiError => validationFailed(param, `${param} ${reason}`)
  if (isOwnAddress(password, email)) {
    return yield* refuse("must not be the e-mail address. Choose one that nobody who knows you would try.")
  }
  const listed = yield* commonPasswords
  if (listed.has(password.toLowerCase())) {
    return yield* refuse(
      "is among the passwords that attackers try first. Choose another, such as four random words.",
    )
  }
})
