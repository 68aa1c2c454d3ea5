// A worker thread that hashes the password it is started with, answers and ends.
import { hash } from "node:crypto"
import { parentPort, workerData } from "node:worker_threads"
import { hashSync } from "bcryptjs"

/** decisions 4. */
const costLog2 = 12

// bcrypt reads 72 bytes at most: the hash before it lets every character of a long password count.
const digest = hash("sha256", String(workerData), "base64")
parentPort?.postMessage(hashSync(digest, costLog2))
