/** Forks attempts at prepared incidents. Attempts at the same incident share one preparation. */
import { availableParallelism } from 'node:os'
import { deriveSecret } from '#kit'
import type { ForkedProcess } from '#machine/forks'
import { createForkCaller, type ForkCaller } from './create-fork-caller.ts'
import { createForkPoints, type StartedForkPoint } from './create-fork-points.ts'
import { createLimit } from './create-limit.ts'
import type { ForkPointReport, IncidentOrder, IncidentRequest } from './fork-messages.ts'
import { type RootProcess, startRootProcess } from './start-root-process.ts'

/** Nothing for this time means that a process hangs; see `withHeartbeat`. */
const SILENCE_MS = 240_000
/** For processes that wait at fork points. Attempts that run take memory in addition. */
const MAX_WAITING_MIB = 600

export interface AttemptStart {
  /** For the program of the attempt. */
  readonly setup: unknown
  onStage(text: string): void
  /** Receives the heartbeats of the attempt and of its preparation. */
  onAlive?(): void
}

export interface PreparedIncidents {
  /** Forks an attempt, after preparing the incident if no process has it. Rejects with `cluster-lost` if a process is lost. */
  fork(request: IncidentRequest, start: AttemptStart): Promise<ForkCaller>
  /** The number of preparations so far. */
  readonly prepared: number
  /** Resolves when all processes have ended. */
  close(): Promise<void>
}

export interface PreparedIncidentsOptions {
  /** The path of a program that calls `serveIncidents`. */
  readonly program: string
  readonly silenceMs?: number | undefined
  readonly maxWaitingMib?: number | undefined
  /** How many incidents are prepared at the same time; the number of cores by default. */
  readonly preparing?: number | undefined
}

export const createPreparedIncidents = ({
  program,
  silenceMs = SILENCE_MS,
  maxWaitingMib = MAX_WAITING_MIB,
  preparing = availableParallelism(),
}: PreparedIncidentsOptions): PreparedIncidents => {
  const points = createForkPoints(maxWaitingMib)
  const limit = createLimit(preparing)
  let root: Promise<RootProcess> | undefined
  let prepared = 0

  /** Starts the first process, again if it has ended. */
  const openRoot = (): Promise<RootProcess> => {
    if (root !== undefined) return root
    const starting = startRootProcess(program, silenceMs)
    const forget = (): void => {
      if (root === starting) root = undefined
    }
    starting.then(({ closed }) => closed.then(forget), forget)
    root = starting
    return starting
  }

  return {
    get prepared() {
      return prepared
    },
    async fork({ problem, engine, secret }, { setup, ...listeners }) {
      const order: IncidentOrder = { problem, engine, secret, seed: deriveSecret(secret, 'cluster') }
      const toPoint = async (process: ForkedProcess): Promise<StartedForkPoint> => {
        const report = await createForkCaller(process, { silenceMs, ...listeners }).started
        return { process, mib: (report as ForkPointReport).mib }
      }
      const startSystem = async (): Promise<StartedForkPoint> =>
        toPoint(await (await openRoot()).process.fork(order))
      const startIncident = (): Promise<StartedForkPoint> =>
        limit(async () => {
          prepared += 1
          return toPoint(await points.fork(`${engine} ${problem.system}`, startSystem, order))
        })
      const attempt = await points.fork(JSON.stringify(order), startIncident, setup)
      const caller = createForkCaller(attempt, { silenceMs, ...listeners })
      await caller.started
      return caller
    },
    async close() {
      const opened = await root?.catch(() => undefined)
      await opened?.close()
    },
  }
}
