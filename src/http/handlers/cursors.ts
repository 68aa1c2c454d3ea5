import { createHmac } from "node:crypto"
import { Context, Layer } from "effect"
import type { Principal } from "../../../actors/values/principal.ts"
import { ApiError } from "../../../schema/errors.ts"
import { derivedKeys, type EncryptionKeys } from "../../crypto/encryptionKeys.ts"

/** What a cursor belongs to: a list, its owner, and its filters. */
export interface CursorScope {
  readonly list: string
  /** Undefined for lists that are the same for every operator. */
  readonly principal?: Principal | undefined
  readonly filters: Readonly<Record<string, string | undefined>>
}

/**
 * Opaque cursors (`docs/contract/README.md#pagination`): a position and a tag that binds it to its list, seller, mode
 * and filters. A foreign, truncated or altered cursor is `invalid_cursor`.
 */
export class Cursors extends Context.Service<
  Cursors,
  {
    readonly encode: (scope: CursorScope, position: string) => string
    /** The position, undefined without a cursor, or 400 `invalid_cursor`. */
    readonly decode: (
      scope: CursorScope,
      cursor: string | undefined,
    ) => string | undefined | ApiError<"invalid_cursor">
  }
>()("corrente/http/Cursors") {}

const tagLength = 16

const describe = ({ list, principal, filters }: CursorScope, position: string): string =>
  JSON.stringify([list, principal?.sellerId, principal?.mode, Object.entries(filters).sort(), position])

/** Cursors tagged with a key derived from the newest of `ENCRYPTION_KEY`; those of its other keys are read as well. */
export const CursorsLive = (encryptionKeys: EncryptionKeys) => {
  const keys = derivedKeys(encryptionKeys, "cursors")
  const tagOf = (scope: CursorScope, position: string, key = keys[0]) =>
    createHmac("sha256", key).update(describe(scope, position)).digest("base64url").slice(0, tagLength)

  return Layer.succeed(Cursors, {
    encode: (scope, position) => Buffer.from(tagOf(scope, position) + position).toString("base64url"),
    decode: (scope, cursor) => {
      if (cursor === undefined) return undefined
      const text = Buffer.from(cursor, "base64url").toString()
      const position = text.slice(tagLength)
      const tag = text.slice(0, tagLength)
      const isOurs = position !== "" && keys.some((key) => tag === tagOf(scope, position, key))
      // Another spelling of the same bytes is not the same cursor: base64url ignores some bits of the last character.
      if (isOurs && Buffer.from(text).toString("base64url") === cursor) return position
      return new ApiError({
        code: "invalid_cursor",
        param: "cursor",
        message:
          "The cursor does not belong to this list with these filters. Use next_cursor of the previous page with the same filters, or omit it to start over.",
      })
    },
  })
}
