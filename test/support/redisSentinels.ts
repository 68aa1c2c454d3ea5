import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Gated, type NetworkGate, openNetworkGate } from "./networkGate.ts"
import { nodeArguments, type RedisNode, startRedisNode } from "./redisNode.ts"
import { until } from "./until.ts"

/** A server or Sentinel behind a gate. */
export type GatedNode = RedisNode & Gated

/** A primary and its replicas, watched by Sentinels. */
export interface TestSentinels {
  /** A REDIS_URL that names the Sentinels. */
  readonly url: string
  readonly servers: readonly [RedisNode, RedisNode, ...ReadonlyArray<RedisNode>]
  /** The server that the Sentinels name as primary; undefined if none of the test's. */
  readonly primary: () => Promise<RedisNode | undefined>
  /** How many connections the first Sentinel announces failovers to. */
  readonly listenerCount: () => Promise<number>
  /** Asks the Sentinels to promote a replica. */
  readonly failOver: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** The same, where everybody reaches everybody through {@link NetworkGate}s. */
export interface GatedSentinels extends TestSentinels {
  readonly servers: readonly [GatedNode, GatedNode, ...ReadonlyArray<GatedNode>]
  readonly sentinels: ReadonlyArray<GatedNode>
  readonly primary: () => Promise<GatedNode | undefined>
  /** The address that a Sentinel names as primary. */
  readonly namedBy: (sentinel: GatedNode) => Promise<string>
}

const masterName = "mymaster"

type Start<Node extends RedisNode> = (
  source: string,
  argumentsFor: (port: number, folder: string, announced: number) => ReadonlyArray<string>,
) => Promise<Node>

const startPlain: Start<RedisNode> = (_source, argumentsFor) =>
  startRedisNode((port, folder) => argumentsFor(port, folder, port))

const startGated: Start<GatedNode> = async (source, argumentsFor) => {
  let gate: NetworkGate | undefined
  const node = await startRedisNode(async (port, folder) => {
    await gate?.close()
    gate = await openNetworkGate(port)
    return argumentsFor(port, folder, gate.port)
  })
  const opened = gate
  if (opened === undefined) throw new Error("the server has no gate")
  const stop = async () => {
    await node.stop()
    await opened.close()
  }
  return { ...node, source, gate: opened, stop }
}

/** Where others find a node. */
const announcedPort = (node: RedisNode): number =>
  "gate" in node ? (node as GatedNode).gate.port : node.port

const startServer = <Node extends RedisNode>(start: Start<Node>, source: string, primary?: RedisNode) =>
  start(source, (port, folder, announced) => {
    const more = [
      // By default a primary waits 5 s for more replicas before it sends itself to the first.
      ...["--repl-diskless-sync-delay", "0"],
      // Otherwise it refuses all but 127.0.0.1.
      ...["--bind-source-addr", source, "--protected-mode", "no"],
      ...["--replica-announce-ip", "127.0.0.1", "--replica-announce-port", String(announced)],
      ...(primary === undefined ? [] : ["--replicaof", "127.0.0.1", String(announcedPort(primary))]),
    ]
    return nodeArguments(...more)(port, folder)
  })

const startSentinel = <Node extends RedisNode>(
  start: Start<Node>,
  source: string,
  primary: RedisNode,
  quorum: number,
) =>
  start(source, (port, folder, announced) => {
    const file = join(folder, "sentinel.conf")
    writeFileSync(
      file,
      [
        ...[`port ${port}`, "bind 127.0.0.1", `dir ${folder}`, "logfile sentinel.log"],
        ...[`bind-source-addr ${source}`, "protected-mode no", "sentinel announce-ip 127.0.0.1"],
        `sentinel announce-port ${announced}`,
        `sentinel monitor ${masterName} 127.0.0.1 ${announcedPort(primary)} ${quorum}`,
        `sentinel down-after-milliseconds ${masterName} 1500`,
        `sentinel failover-timeout ${masterName} 5000`,
      ].join("\n"),
    )
    return [file, "--sentinel"]
  })

/** What INFO says of a server's part in replication, by name. */
export const replicationOf = async (server: RedisNode): Promise<ReadonlyMap<string, string>> => {
  const lines = String(await server.call("INFO", "replication")).split("\r\n")
  return new Map(lines.map((line) => line.split(":") as [string, string]))
}

/** Waits until a replica has all that its primary had written when this was called, and the primary counts its replicas as online. */
export const waitForReplica = async (primary: RedisNode, replica: RedisNode): Promise<void> => {
  const written = Number((await replicationOf(primary)).get("master_repl_offset"))
  await until("the replica to have what its primary has", async () => {
    const replication = await replicationOf(replica)
    return (
      replication.get("master_link_status") === "up" &&
      Number(replication.get("slave_repl_offset")) >= written
    )
  })
  // A primary says so a moment after the replica does.
  await until("the primary to count its replicas as online", async () => {
    const replicas = [...(await replicationOf(primary))].filter(([name]) => /^slave\d+$/.test(name))
    return replicas.length > 0 && replicas.every(([, said]) => said.includes("state=online"))
  })
}

/** Waits until so many replicas follow a primary without a delay, as it counts them. */
export const untilFollowed = (primary: RedisNode, count: number): Promise<void> =>
  until(`${count} replicas to follow without a delay`, async () => {
    const info = String(await primary.call("INFO", "replication"))
    return (info.match(/state=online,.*lag=[01]\b/g)?.length ?? 0) === count
  })

/** What a Sentinel says of the primary, by name. */
const masterOf = async (sentinel: RedisNode): Promise<(name: string) => string | undefined> => {
  const fields = (await sentinel.call("SENTINEL", "MASTER", masterName)) as ReadonlyArray<string>
  return (name) => fields[fields.indexOf(name) + 1]
}

/** The port of the primary as the Sentinel names it that has heard of the latest failover. */
const namedPort = async (sentinels: ReadonlyArray<RedisNode>): Promise<number> => {
  const masters = await Promise.all(sentinels.map((sentinel) => masterOf(sentinel).catch(() => undefined)))
  const named = masters
    .flatMap((field) => (field === undefined ? [] : [field]))
    .toSorted((one, other) => Number(other("config-epoch")) - Number(one("config-epoch")))
  return Number(named[0]?.("port"))
}

const startAll = async <Node extends RedisNode>(start: Start<Node>, count: number, replicaCount: number) => {
  const first = await startServer(start, "127.0.1.1")
  const second = await startServer(start, "127.0.1.2", first)
  const servers: [Node, Node, ...Array<Node>] = [first, second]
  while (servers.length <= replicaCount) {
    servers.push(await startServer(start, `127.0.1.${servers.length + 1}`, first))
  }
  const sentinels: Array<Node> = []
  while (sentinels.length < count) {
    sentinels.push(await startSentinel(start, `127.0.2.${sentinels.length + 1}`, first, Math.ceil(count / 2)))
  }
  for (const sentinel of sentinels) {
    await until("the Sentinels to know each other and the replicas", async () => {
      const field = await masterOf(sentinel)
      return (
        field("num-other-sentinels") === String(count - 1) && field("num-slaves") === String(replicaCount)
      )
    })
  }
  for (const replica of servers.slice(1)) await waitForReplica(first, replica)
  const hosts = sentinels.map((sentinel) => `127.0.0.1:${announcedPort(sentinel)}`)
  return {
    url: `redis+sentinel://${hosts.join(",")}/${masterName}`,
    servers,
    sentinels,
    primary: async () => {
      const port = await namedPort(sentinels)
      return servers.find((server) => announcedPort(server) === port)
    },
    namedBy: async (sentinel: RedisNode) =>
      String(await sentinel.call("SENTINEL", "GET-MASTER-ADDR-BY-NAME", masterName)),
    // Sentinels have no PUBSUB.
    listenerCount: async () => String(await sentinels[0]?.call("CLIENT", "LIST")).split(" sub=1 ").length - 1,
    failOver: () =>
      until("a replica to be fit for promotion", async () => {
        try {
          await sentinels[0]?.call("SENTINEL", "FAILOVER", masterName)
          return true
        } catch (error) {
          if (/NOGOODSLAVE|INPROG/.test(String(error))) return false
          throw error
        }
      }),
    stop: async () => {
      await Promise.all([...sentinels, ...servers].map((node) => node.stop()))
    },
  }
}

/**
 * Starts a primary, a replica and Sentinels, and waits until the replica follows and the Sentinels know it and each other. Stop them
 * in `afterAll`. Sentinels promote a replica that has yet to copy its primary, and then there is nothing in it.
 */
export const startTestSentinels = (count: 1 | 3 = 3): Promise<TestSentinels> => startAll(startPlain, count, 1)

/** Starts a primary, two replicas and three Sentinels, with a network between all of them and the service that can fail. */
export const startGatedSentinels = (): Promise<GatedSentinels> => startAll(startGated, 3, 2)
