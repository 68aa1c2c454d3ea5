import { randomInt } from "node:crypto"
import { linkSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isRunning, processRecord } from "../../src/start/ownRedis/processIdentity.ts"
import { readRecord } from "../../src/start/ownRedis/redisFolder.ts"

/**
 * Below the range of outgoing ports: while a service is down, a client of the test that connects to its port could otherwise be
 * given that very port for its own side, and connect to itself. Nor does anybody who asks for any port get one of these.
 */
const portMin = 20_000
const portMax = 32_000

/** A file for each port that a process of the tests has, with the process. Clones of the repository share the machine's ports. */
const folder = join(tmpdir(), "corrente-test-ports")

/**
 * Keeps a port for this process until it ends; false where another has it. A service that a test kills and starts again on its port
 * would otherwise find there what another file started in between.
 */
export const keepPort = (port: number, self = processRecord(process.pid)): boolean => {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, String(port))
  const draft = `${file}.${process.pid}`
  const take = (): boolean => {
    // Linked into place, so that the file never exists without its content.
    writeFileSync(draft, JSON.stringify(self))
    try {
      linkSync(draft, file)
      return true
    } catch {
      return false
    } finally {
      rmSync(draft, { force: true })
    }
  }
  if (take()) return true
  const holder = readRecord(file)
  if (holder !== undefined && isRunning(holder)) return false
  // Two that find the same dead holder may both remove its file, the later one that of the other: so the port is left.
  rmSync(file, { force: true })
  return false
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const probe = createServer()
    probe.once("error", () => done(false))
    // As the service listens: on all addresses.
    probe.listen(port, () => probe.close(() => done(true)))
  })

/** A port that nobody listens on, and that no other test gets while this process of the tests runs. */
export const freeTestPort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(portMin, portMax)
    if (keepPort(port) && (await isFree(port))) return port
  }
}
