/** A whole number from the environment, for longer or shorter runs by hand. */
const fromEnvironment = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)

/** How hard the fault tests are. The defaults are what the service must hold. */
export const faults = {
  processKills: fromEnvironment("FAULTS_PROCESS_KILLS", 20),
  redisKills: fromEnvironment("FAULTS_REDIS_KILLS", 20),
  chargesPerSecond: fromEnvironment("FAULTS_CHARGES_PER_SECOND", 200),
} as const
