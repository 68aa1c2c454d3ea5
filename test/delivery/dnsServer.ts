import { createSocket } from "node:dgram"

/** The name server's answer for a name: its addresses, that it is unknown, a failure, or none at all. */
export type DnsAnswer = ReadonlyArray<string> | "unknown" | "failure" | "silence"

/** Answers the query for a name's IPv4 addresses, or the one for its IPv6 addresses. */
export type Answer = (hostname: string, family: 4 | 6) => DnsAnswer

/** A running name server. */
export interface DnsServer {
  /** `address:port` */
  readonly address: string
  /** Names asked for, one for each query (a look-up makes two: A and AAAA). */
  readonly queries: ReadonlyArray<string>
  readonly answerWith: (answer: Answer) => void
  readonly close: () => Promise<void>
}

const HEADER_BYTES = 12
const TYPE_A = 1
const TYPE_AAAA = 28

/** A name server on this machine (RFC 1035, UDP only), without caching: its answers have a time to live of 0. */
export const startDnsServer = async (initial: Answer): Promise<DnsServer> => {
  let answer = initial
  const queries: Array<string> = []
  const socket = createSocket("udp4")
  socket.on("message", (query, peer) => {
    const question = readQuestion(query)
    queries.push(question.hostname)
    const said = answer(question.hostname, question.type === TYPE_A ? 4 : 6)
    if (said !== "silence") socket.send(response(query, question, said), peer.port, peer.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    answerWith: (next) => {
      answer = next
    },
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

interface Question {
  readonly hostname: string
  readonly type: number
  readonly endOffset: number
}

const readQuestion = (query: Buffer): Question => {
  const labels: Array<string> = []
  let offset = HEADER_BYTES
  for (let length = query.readUInt8(offset); length > 0; length = query.readUInt8(offset)) {
    labels.push(query.toString("ascii", offset + 1, offset + 1 + length))
    offset += 1 + length
  }
  return {
    hostname: labels.join(".").toLowerCase(),
    type: query.readUInt16BE(offset + 1),
    endOffset: offset + 5,
  }
}

const response = (query: Buffer, question: Question, said: Exclude<DnsAnswer, "silence">): Buffer => {
  const codes = { unknown: 3, failure: 2 }
  const records =
    typeof said === "string" ? [] : said.flatMap((address) => recordData(address, question.type))
  const header = Buffer.from(query.subarray(0, HEADER_BYTES))
  // An answer, recursion available, and the code.
  header.writeUInt16BE(0x8180 | (typeof said === "string" ? codes[said] : 0), 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt32BE(0, 8)
  const answers = records.map((data) => {
    const head = Buffer.alloc(12)
    // A pointer to the question's name.
    head.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
    head.writeUInt16BE(question.type, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(data.length, 10)
    return Buffer.concat([head, data])
  })
  return Buffer.concat([header, query.subarray(HEADER_BYTES, question.endOffset), ...answers])
}

/** The record of an address of the type asked for; IPv6 addresses must be written with all eight groups. */
const recordData = (address: string, type: number): ReadonlyArray<Buffer> => {
  if (type === TYPE_A && !address.includes(":")) return [Buffer.from(address.split(".").map(Number))]
  if (type === TYPE_AAAA && address.includes(":")) {
    return [
      Buffer.from(
        address.split(":").flatMap((group) => [Number(`0x${group}`) >> 8, Number(`0x${group}`) & 0xff]),
      ),
    ]
  }
  return []
}
