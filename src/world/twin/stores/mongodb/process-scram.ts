/** Logins with the cost and the randomness of a real server. */
import { pbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { processHost } from '../process-host.ts'
import type { ScramSource } from './scram.ts'

export const processScram: ScramSource = {
  random: processHost.random,
  iterations: { 'SCRAM-SHA-1': 10_000, 'SCRAM-SHA-256': 15_000 },
  derive: promisify(pbkdf2),
}
