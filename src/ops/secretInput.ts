import { createReadStream } from "node:fs"
import { Context, Effect } from "effect"
import { type ApiError, validationFailed } from "../../schema/errors.ts"
import { optionalFlag, switchFlag, textFlag } from "./parameters.ts"

/** Bytes that a secret may have in a file or on standard input. */
export const secretBytesMax = 4_096

/** Where secrets are read that a command line takes from standard input. */
export class StandardInput extends Context.Reference<AsyncIterable<Buffer | string>>(
  "corrente/ops/StandardInput",
  { defaultValue: () => process.stdin },
) {}

/** The ways to give a secret: in the command line, in a file, or on standard input. */
export interface SecretInput {
  readonly value: string | undefined
  readonly file: string | undefined
  readonly isOnStdin: boolean
}

/** The flags of a required secret: `--name`, `--name-file` and `--name-stdin`. */
export const secretFlags = (name: string, placeholder: string, help: string) => ({
  value: optionalFlag(
    textFlag(name, placeholder, `${help} Others can read command lines: prefer a file or standard input.`),
  ),
  file: optionalFlag(
    textFlag(`${name}-file`, "FILE", "Read it from a file, without the newline at its end."),
  ),
  isOnStdin: switchFlag(`${name}-stdin`, "Read it from standard input, until its end."),
})

/** All bytes as text; undefined if there are more than a secret may have. */
const readBounded = async (input: AsyncIterable<Buffer | string>): Promise<string | undefined> => {
  const chunks: Array<Buffer> = []
  let sizeBytes = 0
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk)
    sizeBytes += bytes.byteLength
    if (sizeBytes > secretBytesMax) return undefined
    chunks.push(bytes)
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))
}

const readFrom = Effect.fnUntraced(function* (
  param: string,
  what: string,
  open: () => AsyncIterable<Buffer | string>,
) {
  const text = yield* Effect.tryPromise({
    try: () => readBounded(open()),
    catch: () => validationFailed(param, `${what} cannot be read, or is not UTF-8.`),
  })
  if (text === undefined) {
    return yield* validationFailed(param, `${what} has more than ${secretBytesMax} bytes: it is no secret.`)
  }
  const secret = text.replace(/\r?\n$/, "")
  if (secret === "") return yield* validationFailed(param, `${what} is empty.`)
  return secret
})

/**
 * Reads a secret from the one place that was given for it; undefined if none was. A newline at its end does not belong to it. Fails
 * with 400 `validation_failed` at the flag: where there are several, or one that cannot be read, is empty or is over 4 KiB.
 */
export const readSecret = (
  name: string,
  { value, file, isOnStdin }: SecretInput,
): Effect.Effect<string | undefined, ApiError> =>
  Effect.gen(function* () {
    const given = [value !== undefined, file !== undefined, isOnStdin].filter(Boolean)
    if (given.length > 1) {
      const ways = `--${name}, --${name}-file and --${name}-stdin`
      return yield* validationFailed(name, `Give only one of ${ways}.`)
    }
    if (isOnStdin) {
      const stdin = yield* StandardInput
      return yield* readFrom(`${name}-stdin`, "Standard input", () => stdin)
    }
    if (file === undefined) return value
    return yield* readFrom(`${name}-file`, `The file of --${name}-file`, () => createReadStream(file))
  })

/** The same for a secret that a command cannot do without. */
const readRequiredSecret = (name: string, input: SecretInput): Effect.Effect<string, ApiError> =>
  Effect.flatMap(readSecret(name, input), (secret) =>
    secret === undefined
      ? Effect.fail(
          validationFailed(name, `--${name} is missing: give it, --${name}-file or --${name}-stdin.`),
        )
      : Effect.succeed(secret),
  )

/**
 * A handler whose `password` is read first, before Redis is needed, and in as much time as somebody takes
 * to type it.
 */
export const withPassword =
  <Input, A, E>(handle: (input: Input & { readonly password: string }) => Effect.Effect<A, E>) =>
  (input: Input & { readonly password: SecretInput }): Effect.Effect<A, E | ApiError> =>
    Effect.flatMap(readRequiredSecret("password", input.password), (password) =>
      handle({ ...input, password }),
    )
