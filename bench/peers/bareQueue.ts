/**
 * The ceiling of deliveries: one sorted set, a function that claims and one that records (bareQueue.lua), ioredis and
 * undici in one process. Headers, signatures, bodies and attempt records equal the service's. Endpoints are known in
 * advance and never looked up; it has no caps, fences, indexes, isolation or shutdown. Settings: see readPeerSettings.
 * Never expose it to a network.
 */

import { startBareDeliverer } from "./bareDeliverer.ts"
import { readPeerSettings } from "./bareQueueAttempt.ts"

await startBareDeliverer(readPeerSettings())
console.log("ready")
