import type { LoadResult } from "../load/job.ts"

/** CPU time per response of one of a job's processes, in us. */
export const cpuMicrosPerAnswer =
  (process: string) =>
  ({ cpuMillis, completed }: LoadResult): number =>
    ((cpuMillis[process] ?? Number.NaN) * 1_000) / completed

/** Cores busy with anything but the job's processes: the kernel's own work, and whatever else runs here. */
export const otherCores = ({
  cpuMillis: { machine = Number.NaN, ...known },
  seconds,
}: LoadResult): number => {
  const knownMillis = Object.values(known).reduce((sum, millis) => sum + millis, 0)
  return Math.max(0, machine - knownMillis) / 1_000 / seconds
}
