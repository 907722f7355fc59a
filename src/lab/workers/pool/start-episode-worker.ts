/** Options of a worker that runs and validations share. */
import type { Job } from '../worker-messages.ts'
import { startWorker, type Worker } from './start-worker.ts'

/** A worker reports every stage; even a large system on a busy machine starts within this time. */
const SILENCE_MS = 240_000

export interface EpisodeWorkerOptions {
  /** The program of the worker, if not the usual one. */
  readonly program?: string
  readonly silenceMs?: number
  onWorker?(worker: { readonly pid: number }): void
}

/** Starts a worker with the given program, unless the options name another one. */
export const startEpisodeWorker = async <J extends Job, R>(
  usual: string,
  { program = usual, silenceMs = SILENCE_MS, onWorker }: EpisodeWorkerOptions,
): Promise<Worker<J, R>> => {
  const worker = await startWorker<J, R>({ program, silenceMs })
  onWorker?.(worker)
  return worker
}
