/** Starts a worker of a run or of a validation: one that plays episodes on the local engine, where no other is named. */
import { WORKER_PROGRAM } from '../worker-program.ts'
import { startWorker, type Worker } from './start-worker.ts'
import type { Job } from './worker-messages.ts'

/** A worker says something at every stage; a big system on a busy machine starts in less. */
const SILENCE_MS = 240_000

export interface EpisodeWorkerOptions {
  /** The program of a worker; the one that plays episodes on the local engine where absent. */
  readonly program?: string
  readonly silenceMs?: number
  onWorker?(worker: { readonly pid: number }): void
}

export const startEpisodeWorker = async <J extends Job, R>(
  options: EpisodeWorkerOptions,
): Promise<Worker<J, R>> => {
  const { program = WORKER_PROGRAM, silenceMs = SILENCE_MS } = options
  const worker = await startWorker<J, R>({ program, silenceMs })
  options.onWorker?.(worker)
  return worker
}
