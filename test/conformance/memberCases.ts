import { randomUUID } from "node:crypto"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { MemberStore, type TeamChange } from "../../actors/ports/memberStore.ts"
import { SellerStore } from "../../actors/ports/sellerStore.ts"
import { firstMemberId, type StoredMember } from "../../actors/values/membership.ts"
import { freshId, freshIdBeside, openShop } from "./fixtures.ts"
import { type StoreCase, storeCase } from "./stage.ts"

/** A change of a seller's team as it is now. */
const changing = (sellerId: string, wanted: Partial<TeamChange>) =>
  Effect.gen(function* () {
    const store = yield* MemberStore
    const team = yield* store.load(sellerId)
    assert.isDefined(team)
    const change: TeamChange = { team, operation: randomUUID(), written: [], removed: [], ...wanted }
    return { change, answer: yield* store.change(change) }
  })

const invitedTo = (sellerId: string) =>
  Effect.map(
    freshIdBeside("mem_", sellerId),
    (id): StoredMember => ({
      id,
      role: "support",
      refundLimit: 5000,
      createdAt: "2026-11-21T12:00:00.000Z",
      invitation: { email: "Çé@example.com", tokenHash: "h", expiresAtMillis: 1_795_000_000_000 },
    }),
  )

const memberOf = (sellerId: string, role: StoredMember["role"] = "viewer") =>
  Effect.map(
    freshIdBeside("mem_", sellerId),
    (id): StoredMember => ({ id, role, createdAt: "2026-11-21T12:00:00.000Z", userId: randomUUID() }),
  )

const empty: StoreCase = storeCase(
  "a new seller's team is its first user alone, who owns it, and nobody else is in it",
  Effect.gen(function* () {
    const store = yield* MemberStore
    const { sellerId } = yield* openShop()
    const seller = yield* Effect.flatMap(SellerStore, (sellers) => sellers.get(sellerId))
    assert.isDefined(seller)
    assert.deepStrictEqual(yield* store.load(sellerId), {
      sellerId,
      ownerId: seller.userId,
      version: 0,
      members: [],
    })
    const memberId = firstMemberId(sellerId)
    const owner = { memberId, role: "owner" as const, refundLimit: undefined }
    assert.deepStrictEqual(yield* store.membershipOf(sellerId, seller.userId, undefined), owner)
    assert.isUndefined(yield* store.membershipOf(sellerId, randomUUID(), undefined))
    assert.isUndefined(yield* store.membershipOf(sellerId, randomUUID(), memberId))
  }),
)

const kept: StoreCase = storeCase(
  "invitations and members are kept whole, by id; an invitation makes nobody a member",
  Effect.gen(function* () {
    const store = yield* MemberStore
    const { sellerId } = yield* openShop()
    const invited = yield* invitedTo(sellerId)
    const member = yield* memberOf(sellerId, "finance")
    const { answer } = yield* changing(sellerId, { written: [member, invited] })
    assert.deepStrictEqual(answer, { kind: "changed" })
    const team = yield* store.load(sellerId)
    assert.strictEqual(team?.version, 1)
    assert.deepStrictEqual(
      team?.members,
      [invited, member].toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    )
    assert.deepStrictEqual(yield* store.membershipOf(sellerId, member.userId ?? "", member.id), {
      memberId: member.id,
      role: "finance",
      refundLimit: undefined,
    })
    assert.isUndefined(yield* store.membershipOf(sellerId, randomUUID(), member.id), "another user")
    assert.isUndefined(yield* store.membershipOf(sellerId, member.userId ?? "", invited.id))
    assert.isUndefined(yield* store.membershipOf(sellerId, member.userId ?? "", undefined))
    const { sellerId: other } = yield* openShop()
    assert.isUndefined(yield* store.membershipOf(other, member.userId ?? "", member.id))
  }),
)

const changed: StoreCase = storeCase(
  "a member has its new role and limit at once, and is nothing once removed",
  Effect.gen(function* () {
    const store = yield* MemberStore
    const { sellerId } = yield* openShop()
    const member = yield* memberOf(sellerId)
    const { id, userId = "" } = member
    yield* changing(sellerId, { written: [member] })
    yield* changing(sellerId, { written: [{ ...member, role: "support", refundLimit: 101 }] })
    assert.deepStrictEqual(yield* store.membershipOf(sellerId, userId, id), {
      memberId: id,
      role: "support",
      refundLimit: 101,
    })
    yield* changing(sellerId, { removed: [id] })
    assert.isUndefined(yield* store.membershipOf(sellerId, userId, id))
    assert.deepStrictEqual((yield* store.load(sellerId))?.members, [])
  }),
)

const races: StoreCase = storeCase(
  "a change that was decided on an older team writes nothing, and one whose reply was lost is written once",
  Effect.gen(function* () {
    const store = yield* MemberStore
    const { sellerId } = yield* openShop()
    const before = yield* store.load(sellerId)
    assert.isDefined(before)
    const first = yield* memberOf(sellerId)
    const { change } = yield* changing(sellerId, { written: [first] })
    const late = yield* memberOf(sellerId)
    const stale = { ...change, operation: randomUUID(), written: [late], ownerId: late.userId }
    assert.deepStrictEqual(yield* store.change(stale), { kind: "stale" })
    assert.deepStrictEqual(yield* store.change(change), { kind: "changed" }, "its reply was lost")
    const team = yield* store.load(sellerId)
    assert.deepStrictEqual(
      [team?.version, team?.ownerId, team?.members.map(({ id }) => id)],
      [1, before.ownerId, [first.id]],
    )
  }),
)

const transferred: StoreCase = storeCase(
  "ownership goes over with the roles of both in one change, and the seller names its new owner",
  Effect.gen(function* () {
    const store = yield* MemberStore
    const { sellerId } = yield* openShop()
    const before = yield* store.load(sellerId)
    assert.isDefined(before)
    const member = yield* memberOf(sellerId)
    yield* changing(sellerId, { written: [member] })
    const former: StoredMember = {
      id: firstMemberId(sellerId),
      role: "finance",
      createdAt: member.createdAt,
      userId: before.ownerId,
    }
    yield* changing(sellerId, { written: [{ ...member, role: "owner" }, former], ownerId: member.userId })
    const roleOf = (userId: string, memberId: string | undefined) =>
      Effect.map(store.membershipOf(sellerId, userId, memberId), (found) => found?.role)
    assert.strictEqual(yield* roleOf(before.ownerId, undefined), "finance")
    assert.strictEqual(yield* roleOf(member.userId ?? "", member.id), "owner")
    assert.strictEqual((yield* store.load(sellerId))?.ownerId, member.userId)
    const seller = yield* Effect.flatMap(SellerStore, (sellers) => sellers.get(sellerId))
    assert.strictEqual(seller?.userId, member.userId)
  }),
)

const unknown: StoreCase = storeCase(
  "a seller that does not exist has no team, and gets none",
  Effect.gen(function* () {
    const store = yield* MemberStore
    const sellerId = yield* freshId("sel_", 1)
    assert.isUndefined(yield* store.load(sellerId))
    assert.isUndefined(yield* store.membershipOf(sellerId, randomUUID(), undefined))
    const written = [yield* memberOf(sellerId)]
    const change = { team: { sellerId, version: 0 }, operation: randomUUID(), written, removed: [] }
    assert.deepStrictEqual(yield* store.change(change), { kind: "noSeller" })
    assert.isUndefined(yield* store.load(sellerId))
  }),
)

/** Cases of sellers' teams (docs/contract/members.md). */
export const memberCases: ReadonlyArray<StoreCase> = [empty, kept, changed, races, transferred, unknown]
