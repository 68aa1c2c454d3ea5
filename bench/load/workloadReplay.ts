import type { ChargeWorkloadOptions, Workload, WorkloadTarget } from "./workload.ts"
import { makeCreates } from "./workloadCharges.ts"
import { describe, perConnection } from "./workloadParts.ts"

/** A request and the body of its first answer. */
interface First {
  readonly request: Buffer
  readonly body: Buffer
}

/** Makes some charges, then asks for them again: every answer must be the first one's, byte for byte. */
export const makeReplays = (
  options: Extract<ChargeWorkloadOptions, { kind: "replay" }>,
  target: WorkloadTarget,
): Workload => {
  const creates = makeCreates(options, target)
  const firsts: Array<First> = []
  const slotOf = perConnection(target.connections, () => ({
    /** What the request under way asks for again; undefined where it makes a charge. */
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
