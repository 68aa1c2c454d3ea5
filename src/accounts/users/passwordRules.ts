import { Effect } from "effect"
import { SellerStore } from "../../../actors/ports/sellerStore.ts"
import { type ApiError, validationFailed } from "../../../schema/errors.ts"
import type { UserEntity } from "../../store/users/userStore.ts"
import { isMadeOfNames } from "./contextWords.ts"

/** Who chooses a password. */
export interface PasswordContext {
  readonly email: string
  /** Of the user, and of its seller. */
  readonly names: ReadonlyArray<string>
}

const productName = "Corrente"

/** Makes what reads the names of a user and of its seller. */
export const makePasswordContexts = Effect.map(SellerStore, (sellers) =>
  Effect.fnUntraced(function* ({ email, name, sellerId }: UserEntity) {
    const seller = sellerId === undefined ? undefined : yield* sellers.get(sellerId)
    const context: PasswordContext = { email, names: [name, seller?.name ?? "", seller?.legalName ?? ""] }
    return context
  }),
)

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

/** Fails with 400 `validation_failed` at `param` if a new password is easy to guess (docs/contract/accounts.md#passwords). The contract checks its length. */
export const checkNewPassword = Effect.fnUntraced(function* (
  param: "password" | "newPassword",
  password: string,
  { email, names }: PasswordContext,
) {
  const refuse = (reason: string): ApiError => validationFailed(param, `${param} ${reason}`)
  if (isOwnAddress(password, email)) {
    return yield* refuse("must not be the e-mail address. Choose one that nobody who knows you would try.")
  }
  const local = email.slice(0, email.lastIndexOf("@"))
  if (isMadeOfNames(password, [productName, local, ...names])) {
    return yield* refuse(
      "must have more in it than names and numbers. Choose another, such as four random words.",
    )
  }
  const listed = yield* commonPasswords
  if (listed.has(password.toLowerCase())) {
    return yield* refuse(
      "is among the passwords that attackers try first. Choose another, such as four random words.",
    )
  }
})
