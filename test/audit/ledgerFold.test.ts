import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Bucket, buckets, ledgerKinds } from "../../schema/resources/ledger.ts"
import { balanceText, type RawEntry, readLedgerEntry } from "../../src/audit/ledgerEntry.ts"
import {
  balanceFault,
  emptyFold,
  entryFault,
  foldEntry,
  type LedgerFold,
} from "../../src/audit/ledgerFold.ts"

interface Ledger {
  readonly entries: ReadonlyArray<RawEntry>
  readonly balance: Readonly<Record<string, string>>
}

/** Folds a ledger as an audit does, and returns its first fault, if any. */
const faultOf = ({ entries, balance }: Ledger) => {
  let fold: LedgerFold = emptyFold
  for (const raw of entries) {
    const read = readLedgerEntry(raw)
    if (Result.isFailure(read)) return read.failure
    fold = foldEntry(fold, read.success)
    const fault = entryFault(fold, read.success)
    if (fault !== undefined) return fault
  }
  return balanceFault(fold, balance)
}

/** A movement between two or three buckets, whose postings sum to zero. */
const movement = fc
  .tuple(
    fc.shuffledSubarray([...buckets], { minLength: 2, maxLength: 3 }),
    fc.bigInt({ min: 1n, max: 999_999_999_999n }),
    fc.bigInt({ min: 1n, max: 999_999_999_999n }),
    fc.constantFrom(...ledgerKinds),
    fc.boolean(),
  )
  .map(([among, one, other, kind, isWithdrawal]) => {
    const [first = "available", second = "reserve", third] = among
    const gains: Array<readonly [Bucket, bigint]> =
      third === undefined
        ? [
            [first, one],
            [second, -one],
          ]
        : [
            [first, one],
            [second, other],
            [third, -one - other],
          ]
    return { gains, kind, type: isWithdrawal ? "withdrawal" : "transaction" }
  })

/** A ledger as a store would write it, with sums that are computed here. */
const ledger = fc.array(movement, { minLength: 1, maxLength: 20 }).map((movements): Ledger => {
  const sums = new Map<string, bigint>()
  const add = (name: string, amount: bigint) => sums.set(name, (sums.get(name) ?? 0n) + amount)
  const entries = movements.map(({ gains, kind, type }, i): RawEntry => {
    for (const [bucket, amount] of gains) add(bucket, amount)
    const available = gains.find(([bucket]) => bucket === "available")?.[1] ?? 0n
    add("entries", 1n)
    if (available !== 0n) add(available > 0n ? "credits" : "debits", 1n)
    if (gains.some(([bucket]) => bucket === "reserve")) add("reserve_entries", 1n)
    if (type === "withdrawal") add("withdrawal_entries", 1n)
    const left = ["available", "reserve", "pending_withdraw", "pending_refund"].map(
      (name) => `${name}:${sums.get(name) ?? 0n}`,
    )
    const id = `${type === "withdrawal" ? "wd" : "txn"}_01M7YSERB402RH0XNSDC14FASE`
    return [
      `${i + 1}-0`,
      [
        ...["seq", String(i + 1), "kind", kind, "resource_type", type, "resource", id, "event", ""],
        ...["postings", gains.map(([bucket, amount]) => `${bucket}:${amount}`).join(" ")],
        ...["balance", left.join(" ")],
      ],
    ]
  })
  return { entries, balance: Object.fromEntries([...sums].map(([name, sum]) => [name, String(sum)])) }
})

const replaceEntry = (
  whole: Ledger,
  place: number,
  change: (raw: RawEntry) => RawEntry | undefined,
): Ledger => ({
  ...whole,
  entries: whole.entries.flatMap((raw, i) => {
    const changed = i === place % whole.entries.length ? change(raw) : raw
    return changed === undefined ? [] : [changed]
  }),
})

describe("the fold of a ledger", () => {
  it("the fold of a ledger finds no fault in one that was written by its rules", () => {
    fc.assert(
      fc.property(ledger, (whole) => {
        expect(faultOf(whole)).toBeUndefined()
      }),
    )
  })

  it("the fold of a ledger finds a missing entry, wherever it was", () => {
    fc.assert(
      fc.property(ledger, fc.nat(), (whole, place) => {
        expect(faultOf(replaceEntry(whole, place, () => undefined))).toBeDefined()
      }),
    )
  })

  it("the fold of a ledger finds a repeated entry", () => {
    fc.assert(
      fc.property(ledger, fc.nat(), (whole, place) => {
        const at = place % whole.entries.length
        const twice = whole.entries.flatMap((raw, i) => (i === at ? [raw, raw] : [raw]))
        expect(faultOf({ ...whole, entries: twice })).toBeDefined()
      }),
    )
  })

  it("the fold of a ledger finds a posting of another amount", () => {
    fc.assert(
      fc.property(
        ledger,
        fc.nat(),
        fc.nat(),
        fc.bigInt({ min: 1n, max: 99n }),
        (whole, place, which, more) => {
          const changed = replaceEntry(whole, place, ([id, values]) => {
            const postings = (values[11] ?? "").split(" ")
            const at = which % postings.length
            const others = postings.map((posting, i) => {
              const [bucket, amount] = posting.split(":")
              return i === at ? `${bucket}:${BigInt(amount ?? "0") + more * 1_000_000_000_000n}` : posting
            })
            return [id, values.with(11, others.join(" "))]
          })
          expect(faultOf(changed)).toBeDefined()
        },
      ),
    )
  })

  it("the fold of a ledger finds any other seq, kind, type, resource, balance or field name", () => {
    const damage = fc.constantFrom(
      [0, "sequence"],
      [1, "0"],
      [3, "gift"],
      [5, "seller"],
      [7, "txn_"],
      [13, ""],
    )
    fc.assert(
      fc.property(ledger, fc.nat(), damage, (whole, place, [at, text]) => {
        const changed = replaceEntry(whole, place, ([id, values]) => [
          id,
          values.with(Number(at), String(text)),
        ])
        expect(faultOf(changed)).toBeDefined()
      }),
    )
  })

  it("the fold of a ledger finds every field of the balance that differs from its entries", () => {
    const field = fc.constantFrom(
      ...[...buckets, "entries", "credits", "debits", "reserve_entries", "withdrawal_entries"],
    )
    fc.assert(
      fc.property(
        ledger,
        field,
        fc.integer().filter((n) => n !== 0),
        (whole, name, more) => {
          const wrong = String(BigInt(whole.balance[name] ?? "0") + BigInt(more))
          expect(faultOf({ ...whole, balance: { ...whole.balance, [name]: wrong } })?.expected).toContain(
            name,
          )
        },
      ),
    )
  })

  it("balanceText writes amounts that a double cannot hold", () => {
    const amounts = {
      available: 9_007_199_254_740_993n,
      reserve: 0n,
      pending_withdraw: -1n,
      pending_refund: 0n,
      external: 0n,
      fees: 0n,
    }
    expect(balanceText(amounts)).toBe(
      "available:9007199254740993 reserve:0 pending_withdraw:-1 pending_refund:0",
    )
  })
})
