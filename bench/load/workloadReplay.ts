import type { ChargeWorkloadOptions, Workload, WorkloadTarget } from "./workload.ts"
import { makeCreates } from "./workloadCharges.ts"
import { describe, perConnection } from "./workloadParts.ts"

/** A request and the body of its first response. */
interface First {
  readonly request: Buffer
  readonly body: Buffer
}

/** Creates some charges, then repeats the requests: every response must equal the first, byte for byte. */
export const makeReplays = (
  options: Extract<ChargeWorkloadOptions, { kind: "replay" }>,
  target: WorkloadTarget,
): Workload => {
  const creates = makeCreates(options, target)
  const firsts: Array<First> = []
  const slotOf = perConnection(target.connections, () => ({
    /** The request being repeated; undefined if it creates a charge. */
    first: undefined as First | undefined,
    request: Buffer.alloc(0) as Uint8Array,
  }))
  let firstsSent = 0
  let replaysSent = 0
  let replayed = 0
  return {
    next: (number) => {
      const slot = slotOf(number)
      slot.first = firstsSent < options.distinct ? undefined : firsts[replaysSent % firsts.length]
      if (slot.first === undefined) {
        firstsSent += 1
        slot.request = creates.next(number)
        return slot.request
      }
      replaysSent += 1
      return slot.first.request
    },
    check: (number, status, bytes, start, end) => {
      const { first, request } = slotOf(number)
      if (first === undefined) {
        const problem = creates.check(number, status, bytes, start, end)
        if (problem !== undefined) return problem
        firsts.push({ request: Buffer.from(request), body: Buffer.from(bytes.subarray(start, end)) })
        return undefined
      }
      const isSame = status === 201 && first.body.compare(bytes, start, end) === 0
      if (!isSame) return describe(status, bytes, start, end)
      replayed += 1
      return undefined
    },
    summary: () => {
      const created = creates.summary()
      return { ...created, answered: created.answered + replayed }
    },
  }
}
