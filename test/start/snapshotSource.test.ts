import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { findServers, refuseOtherLayout, type Servers } from "../../src/start/backups/servers.ts"
import { primaryMoment, takeSnapshot } from "../../src/start/backups/snapshotSource.ts"
import { nodeArguments, type RedisNode, startRedisNode } from "../support/redisNode.ts"
import { waitForReplica } from "../support/redisSentinels.ts"
import { startTcpProxy } from "../support/tcpProxy.ts"

const started = (...more: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(() => startRedisNode(nodeArguments(...more))),
    (node) => Effect.promise(node.stop),
  )

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "corrente-snapshots-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true })),
)

const call = (node: RedisNode, ...words: readonly [string, ...ReadonlyArray<string>]) =>
  Effect.promise(() => node.call(...words))

/** A primary, its replica, and how to keep from the replica what is written from now on, which neither notices. */
const openPair = Effect.gen(function* () {
  const primary = yield* started()
  const proxy = yield* Effect.acquireRelease(
    Effect.promise(() => startTcpProxy(primary.port)),
    (one) => Effect.promise(one.close),
  )
  const replica = yield* started("--replicaof", `127.0.0.1 ${proxy.port}`)
  yield* Effect.promise(() => waitForReplica(primary, replica))
  return { primary, replica, cut: () => proxy.swallow() }
})

/** Lets test time pass, a tenth of a second at a time, with a moment for the network after each. */
const pass = (seconds: number) =>
  Effect.repeat(
    Effect.andThen(
      TestClock.adjust(100),
      Effect.promise(() => new Promise((done) => setTimeout(done, 2))),
    ),
    { times: seconds * 10 - 1 },
  )

describe("servers that change during a backup", () => {
  const place = (port: number) => ({ host: "127.0.0.1", port })
  const servers = (
    ...slots: ReadonlyArray<readonly [port: number, first: number, last: number]>
  ): Servers => ({
    login: { username: undefined, password: undefined, isTls: false },
    db: 0,
    primaries: slots.map(([port, first, last]) => ({
      place: place(port),
      replicas: [],
      slots: [[first, last]],
    })),
  })
  const before = servers([7001, 0, 8_191], [7002, 8_192, 16_383])

  it.effect("the same primaries with the same slots are the same, in whatever order they are named", () =>
    refuseOtherLayout(before, servers([7002, 8_192, 16_383], [7001, 0, 8_191])),
  )

  it.effect("another primary of the same slots, and a slot elsewhere, are refused", () =>
    Effect.gen(function* () {
      const failedOver = servers([7001, 0, 8_191], [7003, 8_192, 16_383])
      const moved = servers([7001, 0, 8_190], [7002, 8_191, 16_383])
      for (const now of [failedOver, moved]) {
        assert.include(
          (yield* Effect.flip(refuseOtherLayout(before, now))).message,
          "Servers changed meanwhile",
        )
      }
    }),
  )
})

describe("the source of a snapshot", () => {
  it.effect(
    "a replica that stays behind is waited for a minute, and then the failure says how far it is",
    () =>
      Effect.gen(function* () {
        const { primary, replica, cut } = yield* openPair
        cut()
        yield* call(primary, "SET", "a", "1")
        const { login, primaries } = yield* findServers(`redis://${primary.address}`)
        const [found] = primaries
        if (found === undefined) return assert.fail("no primary")
        assert.deepStrictEqual(found.replicas, [{ host: "127.0.0.1", port: replica.port }])
        const moment = yield* primaryMoment(login, found.place)
        const dir = yield* folder
        const options = { file: join(dir, "node-1.rdb"), isFromPrimary: false }
        const waiting = yield* Effect.forkChild(Effect.flip(takeSnapshot(login, found, moment, options)))
        yield* pass(59)
        assert.isUndefined(waiting.pollUnsafe())
        yield* pass(2)
        const { message } = (yield* Fiber.join(waiting)) as { readonly message: string }
        assert.match(message, new RegExp(`${replica.address} is \\d+ bytes behind.*--from-primaries`))
        assert.deepStrictEqual(readdirSync(dir), [])
      }),
  )

  it.effect("a primary that has become a replica is no source", () =>
    Effect.gen(function* () {
      const { replica } = yield* openPair
      const { login, primaries } = yield* findServers(`redis://${replica.address}`)
      const failure = yield* Effect.flip(primaryMoment(login, primaries[0]?.place ?? { host: "", port: 0 }))
      assert.include((failure as { readonly message: string }).message, "is a replica")
    }),
  )

  it.effect("what another primary writes is not what was asked for", () =>
    Effect.gen(function* () {
      const { primary, replica } = yield* openPair
      const { login, primaries } = yield* findServers(`redis://${primary.address}`)
      const [found] = primaries
      if (found === undefined) return assert.fail("no primary")
      const moment = yield* primaryMoment(login, found.place)
      // A failover: the replica writes a history of its own, which the old primary follows.
      yield* call(replica, "REPLICAOF", "NO", "ONE")
      yield* call(primary, "REPLICAOF", "127.0.0.1", String(replica.port))
      yield* Effect.promise(() => waitForReplica(replica, primary))
      const options = { file: join(yield* folder, "node-1.rdb"), isFromPrimary: true }
      const failure = yield* Effect.flip(takeSnapshot(login, found, moment, options))
      assert.include((failure as { readonly message: string }).message, "Another primary took over")
    }),
  )
})
