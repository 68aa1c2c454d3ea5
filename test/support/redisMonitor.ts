import { connect, type Socket } from "node:net"
import { createInterface } from "node:readline"

/** A command that Redis ran, as MONITOR shows it. `source` is `lua`, or the address of the connection that sent it. */
export interface MonitoredCommand {
  readonly source: string
  readonly args: ReadonlyArray<string>
}

const linePattern = /^\+[\d.]+ \[\d+ (?<source>[^\]]+)\] (?<args>.*)$/
const argPattern = /"(?<text>(?:[^"\\]|\\.)*)"/g

const readLine = (line: string): MonitoredCommand | undefined => {
  const { source, args } = linePattern.exec(line)?.groups ?? {}
  if (source === undefined || args === undefined) return undefined
  return {
    source,
    args: [...args.matchAll(argPattern)].map((arg) => (arg.groups?.text ?? "").replace(/\\(.)/g, "$1")),
  }
}

const send = (socket: Socket, ...args: ReadonlyArray<string>) => {
  const bulk = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`).join("")
  socket.write(`*${args.length}\r\n${bulk}`)
}

/**
 * Shows every command that a Redis runs, over a connection of its own that sends none but its password and MONITOR.
 * ioredis is not used: it takes a command that arrives in one piece with the answer to MONITOR for the answer to a
 * command of its own, and raises an error that nothing can catch.
 */
export const monitorRedis = async (url: string, onCommand: (command: MonitoredCommand) => void) => {
  const { hostname, port, username, password } = new URL(url)
  const socket = connect(Number(port || 6379), hostname)
  const lines = createInterface({ input: socket })
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject)
    const expected = password === "" ? 1 : 2
    let accepted = 0
    lines.on("line", (line) => {
      if (accepted === expected) {
        const command = readLine(line)
        if (command !== undefined) onCommand(command)
      } else if (line === "+OK") {
        accepted += 1
        if (accepted === expected) resolve()
      } else reject(new Error(`Redis refused to be monitored: ${line}`))
    })
    if (password !== "")
      send(socket, "AUTH", decodeURIComponent(username || "default"), decodeURIComponent(password))
    send(socket, "MONITOR")
  })
  return { close: () => socket.destroy() }
}
