import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, request as requestOf, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { signAttempt } from "../../../src/delivery/signature.ts"
import { launchChromium } from "../../support/chromium.ts"

const dist = fileURLToPath(new URL("../../../client/dist", import.meta.url))
const programs = fileURLToPath(new URL("../programs", import.meta.url))
const timeoutMillis = 120_000

/** A delivery for the page to verify, and the secret. */
const signedDelivery = () => {
  const secret = `whsec_${"A".repeat(43)}`
  const rawBody = JSON.stringify({ id: "evt_1", type: "transaction.paid", data: { object: {} } })
  const timestampSeconds = Math.floor(Date.now() / 1_000)
  const signatures = signAttempt({ secrets: [secret], eventId: "evt_1", timestampSeconds, body: rawBody })
  return { secret, rawBody, headers: { "X-Signature": signatures?.xSignature ?? "" } }
}

const pass = (targetPort: number, request: IncomingMessage, response: ServerResponse): void => {
  const { method, url: path, headers } = request
  const upstream = requestOf({ port: targetPort, host: "127.0.0.1", method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    answer.pipe(response)
  })
  upstream.on("error", () => response.destroy())
  response.once("close", () => upstream.destroy())
  request.pipe(upstream)
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString("utf8")
}

/** A page's origin: the page, the files of `client/dist`, and the service behind the same origin, as keys have no CORS. */
const startOrigin = async (targetPort: number, program: string, settings: object) => {
  let report: (result: unknown) => void = () => {}
  const reported = new Promise<unknown>((done) => {
    report = done
  })
  const script = { "content-type": "text/javascript" }
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "/"
    if (path === "/") {
      const shown = JSON.stringify({ ...settings, delivery: signedDelivery() })
      response.writeHead(200, { "content-type": "text/html" })
      response.end(
        `<script>settings = ${shown}</script><script type="module" src="/page/${program}"></script>`,
      )
    } else if (path.startsWith("/page/")) {
      response.writeHead(200, script).end(readFileSync(join(programs, basename(path))))
    } else if (path.startsWith("/client/")) {
      response.writeHead(200, script).end(readFileSync(join(dist, basename(path))))
    } else if (path === "/result") {
      report(JSON.parse(await textOf(request)))
      response.writeHead(204).end()
    } else pass(targetPort, request, response)
  }
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return { server, reported, port: (server.address() as AddressInfo).port }
}

/** Opens a page with `test/client/programs/<program>` in headless Chromium; answers what the page reports. */
export const runInBrowser = async (
  targetPort: number,
  program: string,
  settings: object,
): Promise<unknown> => {
  const { server, reported, port } = await startOrigin(targetPort, program, settings)
  const browser = await launchChromium()
  const complaints: Array<string> = []
  let timer: NodeJS.Timeout | undefined
  const gaveUp = new Promise<never>((_, failed) => {
    const fail = () => failed(new Error(`the browser reported nothing: ${complaints.join("\n")}`))
    timer = setTimeout(fail, timeoutMillis)
    browser.once("disconnected", fail)
  })
  try {
    const page = await browser.newPage()
    page.on("console", (message) => complaints.push(message.text()))
    page.on("pageerror", (error) => complaints.push(String(error)))
    await page.goto(`http://127.0.0.1:${port}/`)
    return await Promise.race([reported, gaveUp])
  } finally {
    clearTimeout(timer)
    gaveUp.catch(() => {})
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
}
