import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ownFolder } from "../../src/start/ownRedis/ownership.ts"
import { processRecord } from "../../src/start/ownRedis/processIdentity.ts"
import { makeRedisFolder } from "../../src/start/ownRedis/redisFolder.ts"

const folders: Array<string> = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const dead = JSON.stringify({ pid: 1, startedAt: "long ago" })

/** A folder whose owner was killed, while a live process is removing it. */
const folderBeingTakenOver = Effect.gen(function* () {
  const dataDir = mkdtempSync(join(tmpdir(), "corrente-ownership-"))
  folders.push(dataDir)
  const folder = yield* makeRedisFolder(dataDir)
  const guard = `${folder.ownerFile}.removal`
  writeFileSync(folder.ownerFile, dead)
  writeFileSync(guard, JSON.stringify(processRecord(process.pid)))
  const taking = yield* Effect.forkChild(ownFolder(folder, dataDir), { startImmediately: true })
  return { guard, taking }
})

describe("a data folder whose dead owner is being removed by another process", () => {
  it.effect("a process that asks for the folder waits, and takes it once the removal is over", () =>
    Effect.gen(function* () {
      const { guard, taking } = yield* folderBeingTakenOver
      assert.isUndefined(taking.pollUnsafe())
      rmSync(guard)
      yield* TestClock.adjust(20)
      yield* Fiber.join(taking)
    }),
  )

  it.effect("a process that asks for the folder names the remover where that takes 5 s", () =>
    Effect.gen(function* () {
      const { taking } = yield* folderBeingTakenOver
      yield* TestClock.adjust(4_980)
      assert.isUndefined(taking.pollUnsafe())
      yield* TestClock.adjust(20)
      const error = yield* Effect.flip(Fiber.join(taking))
      assert.include(error.message, `(process ${process.pid})`)
    }),
  )
})
