/** Starts a worker for episodes of a run or a validation. */
import { startWorker, type Worker } from './start-worker.ts'

/** A worker reports every stage; even a large system on a busy machine starts within this time. */
const SILENCE_MS = 240_000

export interface EpisodeWorkerOptions {
  /** Replaces the default program of the worker. */
  readonly program?: string
  readonly silenceMs?: number
  onWorker?(worker: { readonly pid: number }): void
}

/** Uses `defaultProgram` unless the options name another program. */
export const startEpisodeWorker = async <J, R>(
  defaultProgram: string,
  { program = defaultProgram, silenceMs = SILENCE_MS, onWorker }: EpisodeWorkerOptions,
): Promise<Worker<J, R>> => {
  const worker = await startWorker<J, R>({ program, silenceMs })
  onWorker?.(worker)
  return worker
}
