/** Computes the desired phase and the conditions of an experiment. */
import { fromTime } from '#platform/kube/meta'
import type { ChaosKind } from './chaos-kind.ts'
import type { ChaosCondition, ChaosObject, ChaosRecord } from './chaos-object.ts'
import { parseDuration } from './parse-duration.ts'

const PAUSE_ANNOTATION = 'experiment.chaos-mesh.org/pause'

export interface DesiredPhase {
  phase: 'Run' | 'Stop'
  /** The event to record when the phase changes. */
  event: { reason: string; message: string }
  /** Milliseconds until the duration ends, if there is one. */
  leftMs?: number
}

const stopPhase = (reason: string, message: string): DesiredPhase => ({
  phase: 'Stop',
  event: { reason, message },
})
const RUN: DesiredPhase = { phase: 'Run', event: { reason: 'Started', message: 'Experiment has started' } }

export const isTerminating = ({ metadata }: ChaosObject): boolean => metadata.deletionTimestamp !== undefined
export const isPaused = ({ metadata }: ChaosObject): boolean =>
  metadata.annotations?.[PAUSE_ANNOTATION] === 'true'

/** The duration starts at the creation timestamp of the object. */
const remainingMs = ({ metadata, spec }: ChaosObject, now: number): number | undefined => {
  const duration = parseDuration(spec.duration ?? '')
  return duration === undefined ? undefined : fromTime(metadata.creationTimestamp) + duration - now
}

export const desiredPhase = (kind: ChaosKind, chaos: ChaosObject, now: number): DesiredPhase => {
  if (isTerminating(chaos)) return stopPhase('Deleted', 'Experiment has been deleted')
  // A one-shot action is not recovered after its duration, and must not repeat after a pause.
  if (kind.isOneShot?.(chaos.spec) === true) return RUN
  const leftMs = remainingMs(chaos, now)
  if (leftMs !== undefined && leftMs <= 0) return stopPhase('TimeUp', 'Time up according to the duration')
  const phase = isPaused(chaos) ? stopPhase('Paused', 'Experiment has been paused') : RUN
  return leftMs === undefined ? phase : { ...phase, leftMs }
}

const condition = (type: ChaosCondition['type'], isTrue: boolean): ChaosCondition => ({
  type,
  status: isTrue ? 'True' : 'False',
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
