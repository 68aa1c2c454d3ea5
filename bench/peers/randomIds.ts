import { randomFillSync } from "node:crypto"

const idBytes = 14
const pool = Buffer.alloc(idBytes * 512)
let poolAt = pool.length

/** Random bytes of an id, from a pool: one system call for hundreds of ids. */
export const randomIdBytes = (): Buffer => {
  if (poolAt === pool.length) {
    randomFillSync(pool)
    poolAt = 0
  }
  poolAt += idBytes
  return pool.subarray(poolAt - idBytes, poolAt)
}
