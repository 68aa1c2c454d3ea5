import { connect, createServer, type Socket } from "node:net"

/** A relay to a server that can hold answers back, for the connections of now and for later ones apart, or later requests. */
export const startRelay = async (targetPort: number) => {
  const links = new Set<{ readonly near: Socket; readonly far: Socket }>()
  let holds = false
  let asksAllowed = Number.POSITIVE_INFINITY
  let accepted = 0
  const server = createServer((near) => {
    const far = connect({ port: targetPort, host: "127.0.0.1" })
    const link = { near, far }
    links.add(link)
    if (holds) far.pause()
    accepted += 1
    asksAllowed -= 1
    if (asksAllowed < 0) near.pause()
    far.on("data", (data) => near.write(data))
    near.on("data", (data) => far.write(data))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on("error", () => {})
      one.once("close", () => {
        other.destroy()
        links.delete(link)
      })
    }
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  return {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    /** Holds all answers back, on open connections and on later ones. */
    hold: () => {
      holds = true
      for (const { far } of links) far.pause()
      return [...links]
    },
    links,
    /** How many connections there have been. */
    accepted: () => accepted,
    /** Holds all requests back but those of the next `count` connections. */
    allowOnly: (count: number) => {
      asksAllowed = count
    },
    /** Lets all answers and requests pass again. */
    release: () => {
      holds = false
      asksAllowed = Number.POSITIVE_INFINITY
      for (const { near, far } of links) {
        far.resume()
        near.resume()
      }
    },
    close: () => {
      server.close()
      for (const { near } of links) near.destroy()
    },
  }
}
