import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type DeliveryEnvironment, listen, StartedParts } from "../deliveries/deliveryEnvironment.ts"
import { type EndpointSet, groupsOf, makeEndpointSet, perSellerMax } from "../deliveries/endpoints.ts"
import { startServiceBackend, startServiceSide } from "../deliveries/serviceSide.ts"
import type { DeliverySide } from "../deliveries/side.ts"
import { makeTemplate } from "../deliveries/template.ts"
import type {
  DeliverySourceAnswer,
  DeliverySourceRequest,
  DeliveryTemplate,
  ReceiverAnswer,
  ReceiverEndpoint,
  ReceiverRequest,
} from "../load/deliveryProtocol.ts"
import type { LoadJob, LoadResult } from "../load/job.ts"
import { startWorker, type Worker } from "../support/child.ts"
import type { Side, SideBackend } from "../support/sides.ts"
import { MetricsSwitch } from "./metricsSwitch.ts"

/** Services that are measured: as users start it, the same once more, with metrics that can be switched off, and without a part. */
export const variants = ["whole", "whole again", "switched metrics", "without series"] as const
export type Variant = (typeof variants)[number]

const preloads: Readonly<Partial<Record<Variant, string>>> = {
  "switched metrics": "switchedMetrics.ts",
  "without series": "withoutSeries.ts",
}

/** A running service, which takes charges and delivers. */
export interface CostService {
  readonly variant: Variant
  readonly side: Side
  readonly delivering: DeliverySide
  /** Endpoints without an order. */
  readonly unordered: EndpointSet
}

/** Everything that a run measures with. */
export interface CostEnvironment extends Pick<DeliveryEnvironment, "receiver" | "source"> {
  readonly load: Worker<LoadJob, LoadResult>
  readonly services: Readonly<Record<Variant, CostService>>
  /** Ordered endpoints at the service as users start it. */
  readonly ordered: EndpointSet
  /** The whole service as a side of the source whose events have no trace id. */
  readonly untraced: DeliverySide
  /** Of the service whose metrics can be switched off. */
  readonly metricsSwitch: MetricsSwitch
}

const traceMember = /"trace_id":"[0-9a-f]{32}",/

/** The same charge as it was stored before there were trace ids: its deliveries have no `traceparent`. */
const withoutTrace = (template: DeliveryTemplate): DeliveryTemplate => {
  const strip = (text: string): string => {
    if (!traceMember.test(text)) throw new Error("the template has no trace id to leave out")
    return text.replace(traceMember, "")
  }
  return { ...template, stored: strip(template.stored), shown: strip(template.shown) }
}

const nodeArgumentsOf = (variant: Variant, socket: string): ReadonlyArray<string> => {
  const preload = preloads[variant]
  if (preload === undefined) return []
  const url = new URL(preload, import.meta.url)
  url.searchParams.set("socket", socket)
  return ["--import", url.href]
}

const moduleOf = (name: string): URL => new URL(`../load/${name}.ts`, import.meta.url)

const endpointsOf = (
  backend: SideBackend,
  receivers: ReadonlyArray<ReceiverEndpoint>,
  ordering?: "resource",
) => makeEndpointSet(backend.redis.url, receivers, groupsOf(receivers.length, perSellerMax), ordering)

/** Runs `body` with the services, each with its own Redis, and stops everything afterwards. */
export const withCostEnvironment = async <A>(
  endpointCount: number,
  body: (environment: CostEnvironment) => Promise<A>,
): Promise<A> => {
  const started = new StartedParts()
  try {
    const load = started.keep(startWorker<LoadJob, LoadResult>(moduleOf("main")))
    const receiver = started.keep(startWorker<ReceiverRequest, ReceiverAnswer>(moduleOf("deliveryReceiver")))
    const { endpoints, caFile } = await listen(receiver, endpointCount)
    const origins = endpoints.map(({ url }) => new URL(url).origin)
    const backends: Array<readonly [Variant, SideBackend]> = []
    for (const variant of variants) {
      backends.push([variant, started.keep(await startServiceBackend(origins, caFile))])
    }
    // Stopped before the Redis servers it is connected to.
    const source = started.keep(
      startWorker<DeliverySourceRequest, DeliverySourceAnswer>(moduleOf("deliverySource")),
    )
    const connect = (side: DeliverySide, template: DeliveryTemplate) =>
      source.ask({
        ...({ kind: "connect", name: "corrente", isKeeping: false } as const),
        url: side.redis.url,
        queue: side.queue,
        template,
      })
    // A socket's path is short.
    const folder = mkdtempSync(join(tmpdir(), "corrente-costs-"))
    started.keep({ stop: async () => rmSync(folder, { recursive: true, force: true }) })
    const socket = join(folder, "switch")
    const services: Partial<Record<Variant, CostService>> = {}
    for (const [variant, backend] of backends) {
      const server = started.keep(await startServiceSide(backend, nodeArgumentsOf(variant, socket)))
      const delivering: DeliverySide = { ...server, queue: variant }
      await connect(delivering, makeTemplate())
      const side: Side = { ...backend, port: server.port, pid: server.pid, stop: server.stop }
      services[variant] = { variant, side, delivering, unordered: await endpointsOf(backend, endpoints) }
    }
    const all = services as Record<Variant, CostService>
    const untraced: DeliverySide = { ...all.whole.delivering, queue: "untraced" }
    await connect(untraced, withoutTrace(makeTemplate()))
    const [[, whole]] = backends as [readonly [Variant, SideBackend]]
    const ordered = await endpointsOf(whole, endpoints, "resource")
    const metricsSwitch = new MetricsSwitch(socket, all["switched metrics"].side)
    return await body({ load, receiver, source, services: all, ordered, untraced, metricsSwitch })
  } finally {
    await started.stop()
  }
}
