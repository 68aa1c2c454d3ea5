/**
 * Loaded before the service (`node --import`): nothing is recorded for metrics. The service has no setting for that; what is counted
 * in plain numbers (`count += 1`) still is.
 */
import { Histogram } from "../../actors/metrics/histogram.ts"
import { RequestMetrics } from "../../src/http/server/requestMetrics.ts"
import { CommandTimes, type Send } from "../../src/store/redis/commandTimes.ts"

const ignore = (): void => {}

Histogram.prototype.record = ignore
Histogram.prototype.recordSince = ignore
RequestMetrics.prototype.answered = ignore
CommandTimes.prototype.timed = (send: Send): Send => send
