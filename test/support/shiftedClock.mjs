// Preload (--import) for a service whose clock jumps: `Date` is off by the milliseconds in DATA_DIR/clock-shift, which SIGUSR2 has read
// again. Monotonic time (`performance.now()`, timers) goes on, as where an administrator or NTP sets a machine's clock.
import { readFileSync } from "node:fs"
import { join } from "node:path"

const RealDate = globalThis.Date
let shiftMillis = 0
const readShift = () => {
  try {
    shiftMillis = Number(readFileSync(join(process.env.DATA_DIR, "clock-shift"), "utf8"))
  } catch (error) {
    // It never jumped.
    if (error.code !== "ENOENT") throw error
  }
}

const now = () => RealDate.now() + shiftMillis
function ShiftedDate(...args) {
  if (new.target === undefined) return new RealDate(now()).toString()
  const target = new.target === ShiftedDate ? RealDate : new.target
  return Reflect.construct(RealDate, args.length === 0 ? [now()] : args, target)
}
Object.setPrototypeOf(ShiftedDate, RealDate)
ShiftedDate.prototype = RealDate.prototype
ShiftedDate.now = now
globalThis.Date = ShiftedDate

readShift()
process.on("SIGUSR2", readShift)
