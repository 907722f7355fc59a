/** What an experiment should be doing now, and how it is summed up. */
import { fromTime } from '../meta/index.ts'
import type { ChaosKind } from './chaos-kind.ts'
import type { ChaosCondition, ChaosObject, ChaosRecord } from './chaos-object.ts'
import { parseDuration } from './parse-duration.ts'

const PAUSE = 'experiment.chaos-mesh.org/pause'

export interface DesiredPhase {
  phase: 'Run' | 'Stop'
  /** Told when the phase is new. */
  event: { reason: string; message: string }
  /** Milliseconds until time is up, where it will be. */
  leftMs?: number
}

const stop = (reason: string, message: string): DesiredPhase => ({
  phase: 'Stop',
  event: { reason, message },
})
const RUN: DesiredPhase = { phase: 'Run', event: { reason: 'Started', message: 'Experiment has started' } }

export const isDeleted = ({ metadata }: ChaosObject): boolean => metadata.deletionTimestamp !== undefined
export const isPaused = ({ metadata }: ChaosObject): boolean => metadata.annotations?.[PAUSE] === 'true'

/** Time counts from the creation of the object, as its timestamp tells it. */
const leftOf = ({ metadata, spec }: ChaosObject, now: number): number | undefined => {
  const duration = parseDuration(spec.duration ?? '')
  return duration === undefined ? undefined : fromTime(metadata.creationTimestamp) + duration - now
}

export const desiredPhase = (kind: ChaosKind, chaos: ChaosObject, now: number): DesiredPhase => {
  if (isDeleted(chaos)) return stop('Deleted', 'Experiment has been deleted')
  // What is done once is not undone by time, and must not be done again after a pause.
  if (kind.isOneShot?.(chaos.spec) === true) return RUN
  const leftMs = leftOf(chaos, now)
  if (leftMs !== undefined && leftMs <= 0) return stop('TimeUp', 'Time up according to the duration')
  const phase = isPaused(chaos) ? stop('Paused', 'Experiment has been paused') : RUN
  return leftMs === undefined ? phase : { ...phase, leftMs }
}

const condition = (type: ChaosCondition['type'], holds: boolean): ChaosCondition => ({
  type,
  status: holds ? 'True' : 'False',
  reason: '',
})

export const conditionsOf = (records: readonly ChaosRecord[], paused: boolean): ChaosCondition[] => [
  condition('Selected', records.length > 0),
  condition('AllInjected', records.length > 0 && records.every(({ phase }) => phase === 'Injected')),
  condition(
    'AllRecovered',
    records.every(({ phase }) => phase === 'Not Injected'),
  ),
  condition('Paused', paused),
]
