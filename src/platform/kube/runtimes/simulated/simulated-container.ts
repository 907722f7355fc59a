/** One simulated container, from its start to its exit. */
import type { Clock, Timer } from '#kit'
import type { ContainerExit, RunningContainer, StartContainer } from '#platform/kube/ports'
import type { ContainerModel } from './container-model.ts'
import type { LogSource } from './log-stream.ts'

const KILLED: ContainerExit = { exitCode: 137, reason: 'Error' }

export interface SimulatedContainer {
  readonly identity: RunningContainer
  readonly model: ContainerModel
  readonly log: LogSource
  readonly isRunning: boolean
  /** Milliseconds since its start. */
  age(): number
  exit(exit: ContainerExit): void
  stop(graceMs: number): void
  /** Calls `listener` when the container has ended, or immediately if it already has. */
  onEnd(listener: () => void): void
}

/** The process starts with this call. */
export const createSimulatedContainer = (
  start: StartContainer,
  model: ContainerModel,
  identity: RunningContainer,
  clock: Clock,
): SimulatedContainer => {
  const startedAt = clock.now()
  const timers: Timer[] = []
  const listeners: (() => void)[] = []
  let endedAt: number | undefined

  const exit = (outcome: ContainerExit): void => {
    if (endedAt !== undefined) return
    endedAt = clock.now()
    for (const timer of timers) timer.cancel()
    clock.defer(() => {
      start.onExit(outcome)
      for (const listener of listeners) listener()
    })
  }
  const age = (): number => (endedAt ?? clock.now()) - startedAt

  if (model.exit !== undefined) {
    const { afterMs, ...outcome } = model.exit
    timers.push(clock.after(afterMs, () => exit(outcome)))
  }

  return {
    identity,
    model,
    log: {
      startedAt,
      endedAt: () => endedAt,
      lines: (fromMs, toMs) => model.logs?.(fromMs, toMs) ?? [],
    },
    get isRunning() {
      return endedAt === undefined
    },
    age,
    exit,
    stop(graceMs) {
      if (graceMs === 0) {
        exit(KILLED)
        return
      }
      timers.push(clock.after(graceMs, () => exit(KILLED)))
      const response = model.stop ?? { afterMs: 0, exitCode: 0 }
      if (response === 'ignores') return
      const { afterMs, exitCode } = response
      const reason = exitCode === 0 ? 'Completed' : 'Error'
      timers.push(clock.after(afterMs, () => exit({ exitCode, reason })))
    },
    onEnd(listener) {
      if (endedAt === undefined) listeners.push(listener)
      else listener()
    },
  }
}
