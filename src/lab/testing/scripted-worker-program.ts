/** The path of the scripted worker, and the variable that names its journal. */
import { join } from 'node:path'

export const SCRIPTED_WORKER = join(import.meta.dirname, 'scripted-worker.ts')
export const SCRIPTED_WORKER_JOURNAL = 'SCRIPTED_WORKER_JOURNAL'
