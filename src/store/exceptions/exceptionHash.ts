import type { StoredException } from "../../../actors/ports/exceptionStore.ts"
import type { Mode } from "../../../schema/ids.ts"
import type { ExceptionKind, ExceptionState } from "../../../schema/resources/exception.ts"
import type { Reply } from "../redis/redisClient.ts"

/** Fields of an exception's hash, in the order that {@link readException} expects. */
export const exceptionFields = [
  "fact",
  "kind",
  "state",
  "mode",
  "seller",
  "account",
  "document",
  "version",
  "pending",
] as const

/** Reads the values of an exception's {@link exceptionFields}; undefined if there is none. */
export const readException = (id: string, reply: Reply | undefined): StoredException | undefined => {
  const [fact, kind, state, mode, seller, account, document, version, pending] = reply as ReadonlyArray<
    string | null
  >
  if (!fact || !document) return undefined
  return {
    ...{ id, fact, document, pending: pending ?? "" },
    kind: kind as ExceptionKind,
    state: state as ExceptionState,
    mode: mode as Mode,
    sellerId: seller || undefined,
    account: account || undefined,
    version: Number(version),
  }
}

/** The fact, in the partition of a seller, that an exception was credited to it. */
export const creditedFact = (exceptionId: string): string => `credited:${exceptionId}`
