import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"

/** A proxy to the service, where a test does something before a request is passed on. */
export interface WayToService {
  readonly url: string
  readonly close: () => void
}

/** `onRequest` may change the URL that is passed on; an object that it returns is the answer, and nothing is passed on. */
export const startWayToService = async (
  targetPort: number,
  onRequest: (url: URL) => Promise<object | undefined>,
): Promise<WayToService> => {
  const server = createServer(async ({ url: path, method, headers }, outgoing) => {
    const url = new URL(path ?? "/", `http://127.0.0.1:${targetPort}`)
    const own = await onRequest(url)
    if (own !== undefined) {
      outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(own))
      return
    }
    const passedOn = request(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    passedOn.on("error", () => outgoing.destroy())
    outgoing.on("close", () => passedOn.destroy())
    passedOn.end()
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
