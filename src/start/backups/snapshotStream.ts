/**
 * Receives a snapshot from a server as its replica would, so nothing but the connection of the service is needed:
 * 1. We sign in, say that we want no more than a snapshot, and ask for a full copy (PSYNC).
 * 2. The server forks. From then on its copy is of one moment, and it names that moment: the id of the history that it writes, and
 *    how many bytes of it the copy includes.
 * 3. It sends the copy, with its length before it or a mark of 40 bytes behind it, and line feeds while it has nothing to send.
 *
 * Only a whole copy gets the name that it was asked for. Source: https://redis.io/docs/latest/operate/oss_and_stack/management/replication/
 */
import { connect as connectTcp, isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { Effect } from "effect"
import type { HostAndPort } from "../../config/redisUrl.ts"
import type { NodeLogin } from "../../store/redis/clusterDiscovery.ts"
import { addressOf } from "../../store/redis/clusterView.ts"
import { reasonOf } from "../../store/redis/redisConnection.ts"
import { RedisServerError } from "../ownRedis/redisServerError.ts"
import { type Copied, writeAndHash } from "./backupFolder.ts"

/** A server that waits for its fork sends a line feed every 10 s (`repl-ping-replica-period`). */
const silenceMillisMax = 60_000
const lineBytesMax = 1_024
const markBytes = 40

/** The moment of a snapshot, as replicas know it. */
export interface SnapshotMoment {
  /** The history that the primary writes (`master_replid` of INFO). */
  readonly replicationId: string
  /** How many bytes of that history are in the snapshot. */
  readonly offset: number
}

/** The bytes that a server sends, line by line at first. */
class Incoming {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  async #next(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next()
    if (done === true) throw new Error("it ended the connection")
    return value
  }

  /** The next line that is not empty. */
  async line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf("\n")
      if (end === -1) {
        if (this.#rest.length > lineBytesMax) throw new Error("its answer is none of Redis")
        this.#rest = Buffer.concat([this.#rest, await this.#next()])
        continue
      }
      const line = this.#rest.toString("latin1", 0, end).trimEnd()
      this.#rest = this.#rest.subarray(end + 1)
      if (line !== "") return line
    }
  }

  async *remaining(): AsyncGenerator<Buffer> {
    if (this.#rest.length > 0) yield this.#rest
    for (;;) yield await this.#next()
  }
}

async function* untilLength(chunks: AsyncIterable<Buffer>, length: number): AsyncGenerator<Buffer> {
  let missing = length
  for await (const chunk of chunks) {
    yield chunk.subarray(0, missing)
    missing -= chunk.length
    if (missing <= 0) return
  }
}

/** Nothing follows the mark before we answer, which we never do: so it is whatever comes last. */
async function* untilMark(chunks: AsyncIterable<Buffer>, mark: Buffer): AsyncGenerator<Buffer> {
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    held = Buffer.concat([held, chunk])
    if (held.subarray(-markBytes).equals(mark)) {
      yield held.subarray(0, -markBytes)
      return
    }
    yield held.subarray(0, -markBytes)
    held = held.subarray(-markBytes)
  }
}

/** The snapshot after its header: `$<length>` or `$EOF:<mark>`. */
const snapshotIn = (header: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> => {
  const [, mark, length] = /^\$(?:EOF:(\w{40})|(\d+))$/.exec(header) ?? []
  if (mark !== undefined) return untilMark(chunks, Buffer.from(mark, "latin1"))
  if (length !== undefined) return untilLength(chunks, Number(length))
  throw new Error(`it sent no snapshot but "${header.slice(0, 200)}"`)
}

const commandOf = (words: ReadonlyArray<string>): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`

const socketTo = ({ host, port }: HostAndPort, isTls: boolean): Socket => {
  const socket = isTls
    ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectTcp({ host, port })
  const silence = () => socket.destroy(new Error(`it was silent for ${silenceMillisMax / 1_000} s`))
  return socket.setTimeout(silenceMillisMax, silence)
}

/** Sends commands one by one, since PSYNC is refused while an answer is under way; returns the last answer. */
const converse = async (
  socket: Socket,
  incoming: Incoming,
  commands: ReadonlyArray<ReadonlyArray<string>>,
) => {
  let answer = ""
  for (const words of commands) {
    socket.write(commandOf(words))
    answer = await incoming.line()
    if (answer.startsWith("-")) throw new Error(`it refuses ${words[0]}: ${answer.slice(1)}`)
  }
  return answer
}

const momentOf = (answer: string): SnapshotMoment => {
  const [, replicationId, offset] = /^\+FULLRESYNC (\w+) (\d+)$/.exec(answer) ?? []
  if (replicationId === undefined) throw new Error(`it sent no snapshot but "${answer.slice(0, 200)}"`)
  return { replicationId, offset: Number(offset) }
}

const receive = async (
  { username, password, isTls }: NodeLogin,
  place: HostAndPort,
  file: string,
  isWanted: (moment: SnapshotMoment) => boolean,
  signal: AbortSignal,
): Promise<(SnapshotMoment & Copied) | undefined> => {
  const socket = socketTo(place, isTls)
  const cut = () => socket.destroy()
  signal.addEventListener("abort", cut)
  try {
    const incoming = new Incoming(socket)
    const signIn = password === undefined ? [] : [["AUTH", ...(username ? [username] : []), password]]
    const answer = await converse(socket, incoming, [
      ...signIn,
      ["REPLCONF", "capa", "eof"],
      ["REPLCONF", "rdb-only", "1"],
      ["PSYNC", "?", "-1"],
    ])
    const moment = momentOf(answer)
    if (!isWanted(moment)) return undefined
    const header = await incoming.line()
    return { ...moment, ...(await writeAndHash(snapshotIn(header, incoming.remaining()), file)) }
  } finally {
    signal.removeEventListener("abort", cut)
    socket.destroy()
  }
}

/**
 * Writes a snapshot of a server to `file`, for this user only; undefined where its moment is not wanted: the server joins us to a
 * copy that it began before for another. Fails where the server refuses, breaks off, or is silent for a minute.
 */
export const receiveSnapshot = (
  login: NodeLogin,
  place: HostAndPort,
  file: string,
  isWanted: (moment: SnapshotMoment) => boolean,
): Effect.Effect<(SnapshotMoment & Copied) | undefined, RedisServerError> =>
  Effect.tryPromise({
    try: (signal) => receive(login, place, file, isWanted, signal),
    catch: (cause) =>
      new RedisServerError({ message: `No snapshot of ${addressOf(place)}: ${reasonOf(cause)}.` }),
  })
