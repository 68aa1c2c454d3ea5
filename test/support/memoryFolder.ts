import { readFileSync, statfsSync } from "node:fs"

const folder = "/dev/shm"
/** Several times what all tests of a run have there at once. */
const freeBytesMin = 1024 ** 3

/** Whether programs may be run from it: tests write some. */
const runsPrograms = (mounts: string): boolean => {
  const options = mounts.split("\n").find((line) => line.split(" ")[1] === folder)
  return options !== undefined && !/\bnoexec\b/.test(options)
}

/**
 * Where files of tests are in memory: hundreds of Redis servers sync every write to their disk, and browsers keep profiles. Undefined where
 * this machine has no such folder, or too little room in it.
 */
export const memoryFolder = (): string | undefined => {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= freeBytesMin && runsPrograms(readFileSync("/proc/mounts", "utf8"))
      ? folder
      : undefined
  } catch {
    return undefined
  }
}
