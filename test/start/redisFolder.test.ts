import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, expect } from "vitest"
import { isRunning, processRecord } from "../../src/start/ownRedis/processIdentity.ts"
import { boundLog, readAddress, readRecord, redisFolderOf } from "../../src/start/ownRedis/redisFolder.ts"

const dataDir = mkdtempSync(join(tmpdir(), "corrente-redis-folder-"))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
const folder = { ...redisFolderOf(dataDir), logFile: join(dataDir, "redis.log") }

describe("the folder of our Redis", () => {
  it("boundLog keeps a log of 8 MiB and puts one that is a byte longer aside", () => {
    const old = `${folder.logFile}.old`
    boundLog(folder)
    writeFileSync(folder.logFile, Buffer.alloc(8 * 1024 * 1024))
    boundLog(folder)
    assert.isTrue(existsSync(folder.logFile))
    assert.isFalse(existsSync(old))
    writeFileSync(folder.logFile, Buffer.alloc(8 * 1024 * 1024 + 1))
    boundLog(folder)
    assert.isFalse(existsSync(folder.logFile))
    assert.isTrue(existsSync(old))
  })

  it("readAddress believes an address file only when it names a port of this machine", () => {
    const addressFile = join(dataDir, "address")
    const read = (text: string) => {
      writeFileSync(addressFile, text)
      return readAddress({ ...folder, addressFile })
    }
    assert.strictEqual(
      read("redis://default:a-b_C1@127.0.0.1:4000\n"),
      "redis://default:a-b_C1@127.0.0.1:4000",
    )
    assert.isUndefined(read("redis://other:a@127.0.0.1:4000\n"))
    assert.isUndefined(read("redis://default:@127.0.0.1:4000\n"))
    assert.isUndefined(read("redis://default:a@b@127.0.0.1:4000\n"))
    assert.isUndefined(read("redis://127.0.0.1:4000\n"))
    assert.isUndefined(read("redis://default:a-b_C1@10.0.0.1:4000\n"))
    assert.isUndefined(read("redis://default:a-b_C1@127.0.0.1:\n"))
    assert.isUndefined(read(""))
    assert.isUndefined(readAddress({ ...folder, addressFile: join(dataDir, "none") }))
  })

  it("readRecord takes a broken process file for none", () => {
    const file = join(dataDir, "process.json")
    for (const text of ["", "{", "[]", '{"pid":"1","startedAt":"x"}', '{"pid":1.5,"startedAt":"x"}']) {
      writeFileSync(file, text)
      assert.isUndefined(readRecord(file), text)
    }
    writeFileSync(file, '{"pid":1,"startedAt":"x"}')
    assert.deepStrictEqual(readRecord(file), { pid: 1, startedAt: "x" })
  })
})

describe("a recorded process", () => {
  it("a recorded process runs only while its id and its start agree", () => {
    const self = processRecord(process.pid)
    assert.isDefined(self)
    if (self === undefined) return
    assert.isTrue(isRunning(self))
    assert.isFalse(isRunning({ ...self, startedAt: `${self.startedAt}0` }))
    // Linux assigns no process id this large.
    assert.isFalse(isRunning({ ...self, pid: 2 ** 30 }))
  })

  it.runIf(process.platform === "linux")(
    "a process that only waits to be reaped counts as gone",
    async () => {
      // The shell turns into a program that never reaps its child, which exits only after that.
      const parent = spawn("sh", ["-c", "sleep 0.2 & echo $!; exec sleep 30"], {
        stdio: ["ignore", "pipe", "ignore"],
      })
      try {
        const [line] = await once(parent.stdout, "data")
        const pid = Number(String(line))
        await expect
          .poll(() => readFileSync(`/proc/${pid}/stat`, "latin1"), { timeout: 30_000 })
          .toContain(") Z ")
        assert.isUndefined(processRecord(pid))
      } finally {
        parent.kill("SIGKILL")
      }
    },
  )
})
