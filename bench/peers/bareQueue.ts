/**
 * The ceiling of deliveries: one sorted set, a function that claims and one that records (bareQueue.lua), ioredis and undici
 * in one process. Same headers, signatures and bodies as the service's, same record of an attempt. Endpoints are known in
 * advance and never looked up; no caps, no fences, no indexes, nothing kept apart, no shutdown.
 *
 * Settings: see readPeerSettings. Never to be exposed to a network.
 */

import { startBareDeliverer } from "./bareDeliverer.ts"
import { readPeerSettings } from "./bareQueueAttempt.ts"

await startBareDeliverer(readPeerSettings())
console.log("ready")
