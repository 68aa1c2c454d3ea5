import { Effect } from "effect"
import { modes } from "../../schema/ids.ts"
import { type ExceptionState, exceptionKinds, exceptionStates } from "../../schema/resources/exception.ts"
import * as keys from "../store/keys.ts"
import type { RedisClient, RedisCommand } from "../store/redis/redisClient.ts"
import { differs, type Fault, shown } from "./difference.ts"
import { type ExceptionDocument, readExceptionDocument } from "./documents.ts"
import { exceptionMoneyFault } from "./exceptionMoney.ts"
import { creditClaimFault } from "./pixClaimAudit.ts"
import { type Fields, forEachPage, lookAgain, readFields } from "./reads.ts"
import type { KeyFault } from "./resourceKind.ts"

type Client = RedisClient["Service"]

const names = [
  ...["fact", "kind", "state", "mode", "seller", "account", "document", "version", "pending", "movement"],
]

/** The fault of what a document repeats from its hash, and of how it ended. */
const documentFault = (id: string, record: Fields, document: ExceptionDocument): Fault | undefined => {
  const expected = `${id} ${record.kind} ${record.state} ${record.mode}`
  const found = `${document.id} ${document.kind} ${document.state} ${document.mode}`
  if (found !== expected) return { expected: `a document of ${expected}`, found }
  if (record.seller && document.seller_id !== record.seller) {
    return { expected: `seller_id ${record.seller}`, found: shown(document.seller_id ?? undefined) }
  }
  const isResolved = document.state === "resolved"
  if (isResolved !== (document.resolved_at !== null) || isResolved !== (document.act !== null)) {
    return { expected: `resolved_at and act that fit ${document.state}`, found: document.act ?? "none" }
  }
  if (isResolved && record.pending)
    return { expected: "no act under way, since it is resolved", found: "one" }
  return undefined
}

/** The fault of the indexes and the fact of an exception, each of which one commit writes with it. */
const placeFault = Effect.fnUntraced(function* (
  client: Client,
  id: string,
  document: ExceptionDocument,
  fact: string,
) {
  const tag = keys.tagOf(id)
  const { kind, mode, state } = document
  const indexes = exceptionStates.flatMap((of) => [
    [of, keys.exceptionsKey(tag, of)] as const,
    [of, keys.exceptionsOfKindKey(tag, of, kind, mode)] as const,
  ])
  const [known, ...scores] = yield* client.callAll([
    ["HGET", [keys.exceptionFactsKey(tag), fact]],
    ...indexes.map(([, key]): RedisCommand => ["ZSCORE", [key, id]]),
  ])
  if (known !== id) {
    const fault = {
      expected: `${id} as the exception of ${fact}`,
      found: shown(String(known ?? "") || undefined),
    }
    return { key: keys.exceptionFactsKey(tag), ...fault } satisfies KeyFault
  }
  const wrong = indexes.findIndex(([of], i) => (of === state) !== (scores[i] !== null))
  const [of, key] = indexes[wrong] ?? []
  if (of === undefined || key === undefined) return undefined
  const isMissing = of === state
  return {
    key,
    expected: isMissing ? `${id} in it` : `no ${id}, which is ${state}`,
    found: isMissing ? "it is not" : "it is",
  } satisfies KeyFault
})

const faultOf = Effect.fnUntraced(function* (client: Client, id: string) {
  const key = keys.exceptionKey(id)
  const record = readFields(names, yield* client.call("HMGET", [key, ...names]))
  const document = readExceptionDocument(record.document)
  if (document === undefined) return { key, expected: "an exception with a readable document", found: "none" }
  const fault = documentFault(id, record, document)
  if (fault !== undefined) return { key, ...fault }
  const misplaced = yield* placeFault(client, id, document, record.fact ?? "")
  if (misplaced !== undefined) return misplaced
  const unclaimed = yield* creditClaimFault(client, document, record)
  if (unclaimed !== undefined) return unclaimed
  const money = yield* exceptionMoneyFault(client, document, record)
  return money === undefined ? undefined : { key, ...money }
})

/** Every exception of a state is in the index of its kind and mode; so those hold no others if they hold as many. */
const auditCounts = (client: Client, tag: string, state: ExceptionState) => {
  const kinds = exceptionKinds.flatMap((kind) =>
    modes.map((mode) => keys.exceptionsOfKindKey(tag, state, kind, mode)),
  )
  const all = keys.exceptionsKey(tag, state)
  return lookAgain(
    Effect.gen(function* () {
      const [count, ...counts] = yield* client.callAll(
        [all, ...kinds].map((key) => ["ZCARD", [key]] as const),
      )
      const sum = counts.reduce((total: number, found) => total + Number(found), 0)
      if (sum === Number(count)) return
      const fault = { expected: `as many ids as in its indexes by kind, ${sum}`, found: String(count) }
      yield* differs("exception", all, fault)
    }),
  )
}

/**
 * Checks the exceptions of a partition: hash, document, indexes, fact, and the money of the act that resolved each. The other
 * way round, the ledger's credits are checked with it.
 */
export const auditExceptions = Effect.fnUntraced(function* (client: Client, partition: number) {
  const tag = keys.partitionTag(partition)
  for (const state of exceptionStates) {
    yield* forEachPage(client, keys.exceptionsKey(tag, state), (ids) =>
      Effect.forEach(
        ids,
        (id) =>
          lookAgain(
            Effect.flatMap(faultOf(client, id), (fault) =>
              fault === undefined ? Effect.void : differs("exception", fault.key, fault),
            ),
          ),
        { discard: true },
      ),
    )
    yield* auditCounts(client, tag, state)
  }
})
