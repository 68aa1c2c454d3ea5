/**
 * Loaded before the service (`node --import`, with `?socket=<path>`): what is recorded for metrics can be switched off and on in the
 * running process, over a socket that `metricsSwitch.ts` asks. The service has no setting for that; what is counted in plain
 * numbers (`count += 1`) still is.
 */
import { createServer } from "node:http"
import { Histogram } from "../../actors/metrics/histogram.ts"
import { RequestMetrics } from "../../src/http/server/requestMetrics.ts"
import { CommandTimes, type Send } from "../../src/store/redis/commandTimes.ts"
import { Slices } from "./slices.ts"

let isRecording = true
let answers = 0

const { record, recordSince } = Histogram.prototype
const { answered } = RequestMetrics.prototype
const { timed } = CommandTimes.prototype

Histogram.prototype.record = function (value) {
  if (isRecording) record.call(this, value)
}
Histogram.prototype.recordSince = function (beganMillis) {
  if (isRecording) recordSince.call(this, beganMillis)
}
RequestMetrics.prototype.answered = function (route, status, beganMillis) {
  answers += 1
  if (isRecording) answered.call(this, route, status, beganMillis)
}
CommandTimes.prototype.timed = function (send: Send): Send {
  const sendTimed = timed.call(this, send)
  return (command, args, outcome) => {
    if (isRecording) sendTimed(command, args, outcome)
    else send(command, args, outcome)
  }
}

const slices = new Slices(() => answers)

/** What can be asked for, by path. */
const acts: Readonly<Record<string, () => unknown>> = {
  "/on": () => {
    isRecording = true
  },
  "/off": () => {
    isRecording = false
  },
  "/slices/switched": () =>
    slices.begin((side) => {
      isRecording = side === "with"
    }),
  "/slices/alike": () => slices.begin(() => {}),
  "/slices/end": () => {
    const sums = slices.end()
    isRecording = true
    return sums
  },
}

const socket = new URL(import.meta.url).searchParams.get("socket") ?? ""
createServer(({ url = "" }, response) => response.end(JSON.stringify(acts[url]?.() ?? {})))
  .listen(socket)
  .unref()
