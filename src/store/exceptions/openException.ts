import { Effect } from "effect"
import type { NewException } from "../../../actors/ports/exceptionStore.ts"
import type { StoreUnavailable } from "../../../actors/values/storeUnavailable.ts"
import { declareFunction } from "../redis/functionDeclaration.ts"
import { callFunction, unexpectedReply } from "../redis/functionLibrary.ts"
import type { RedisClient } from "../redis/redisClient.ts"
import { words } from "../redis/reply.ts"
import { exceptionArguments, exceptionKeyNames, exceptionKeys } from "./exceptionEffect.ts"

const declaration = declareFunction(import.meta.url, { keys: exceptionKeyNames, args: ["...exception"] })

/** Whether an exception was recorded, and the exception of its fact. */
interface Opening {
  readonly kind: "opened" | "exists"
  readonly id: string
}

/** Records an exception: `opened`, or `exists` with the id of the exception that its fact is recorded as. */
export const openException = (client: RedisClient["Service"]) => (exception: NewException) => {
  const effect = { kind: "open", exception } as const
  const call = callFunction(client, declaration, exceptionKeys(effect), {
    exception: exceptionArguments(effect),
  })
  return Effect.flatMap(call, (reply): Effect.Effect<Opening, StoreUnavailable> => {
    const [kind, known = ""] = words(reply)
    if (kind === "opened") return Effect.succeed({ kind, id: exception.id })
    if (kind === "exists") return Effect.succeed({ kind, id: known })
    return Effect.fail(unexpectedReply(declaration, reply))
  })
}
