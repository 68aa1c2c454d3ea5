import type { GatedNode } from "../../support/redisSentinels.ts"

/** Servers of Redis that work together, with a network between all of them and the services that can fail. */
export interface Topology {
  /** The services' REDIS_URL. */
  readonly url: string
  /** The servers that hold data, primaries and replicas. */
  readonly servers: ReadonlyArray<GatedNode>
  /** Who decides about failovers: the Sentinels, or the servers of a cluster themselves. */
  readonly deciders: ReadonlyArray<GatedNode>
  /** The server that is primary now; of a cluster, that of one shard, drawn by `pick` from 0 to 1. */
  readonly primary: (pick: number) => Promise<GatedNode>
  /** The replicas of that primary. */
  readonly replicas: (primary: GatedNode) => ReadonlyArray<GatedNode>
  /** Asks for a planned failover of that primary, and completes when another has its place. */
  readonly failOver: (primary: GatedNode) => Promise<void>
  /** Ends all faults: heals the network, wakes and starts servers, and completes when all replicas follow. */
  readonly recover: () => Promise<void>
  readonly stop: () => Promise<void>
}
