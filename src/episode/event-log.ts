/** The record of an episode while it is made: stamps every event, shows it to the judges, and hands it on. */
import { MOST_CLOCK_DRIFT } from '../kit/index.ts'
import { createEpisodeView, type EpisodeView } from '../oracles/index.ts'
import {
  type EpisodeEvent,
  type Fault,
  type JourneyRecord,
  RemediumError,
  type SystemView,
  toWalkNote,
} from '../spec/index.ts'
import type { EpisodeTime } from './episode-time.ts'

type Unstamped<E> = E extends unknown ? Omit<E, 'at'> : never
/** An event before it has its time. */
export type NewEvent = Unstamped<EpisodeEvent>

/** Where events go as they come; throws where they cannot be kept. */
export type EventSink = (event: EpisodeEvent) => void

export interface EventLog {
  readonly events: readonly EpisodeEvent[]
  readonly view: EpisodeView
  /** Milliseconds since the episode began. */
  at(): number
  /** Throws where it cannot be kept, and from then on always: what comes after a gap is no record. */
  add(event: NewEvent): void
  /** `pending` are the walks that were asked for and are on their way, with the time since the epoch at which they began. */
  addWalks(
    records: readonly JourneyRecord[],
    pending: readonly (readonly [journey: string, began: number])[],
  ): void
}

export interface EventLogOptions {
  readonly system: SystemView
  readonly faults: ReadonlyMap<string, Fault>
  readonly time: EpisodeTime
  /** When time 0 of the record was, by `time.precise`. */
  readonly zero: number
  /** By how much the two clocks differed then; as now where absent. */
  readonly drift?: number
  /** What others have recorded already. */
  readonly before?: readonly EpisodeEvent[]
  readonly sink?: EventSink | undefined
}

/** By how much the clock that people set differs from the one that goes evenly. */
export const driftOf = (time: EpisodeTime): number => time.wall() - time.precise()

export const createEventLog = ({
  system,
  faults,
  time,
  zero,
  drift = driftOf(time),
  before = [],
  sink,
}: EventLogOptions): EventLog => {
  const events: EpisodeEvent[] = []
  const view = createEpisodeView(system, faults)
  let isWaiting = before.some((event) => event.type === 'walks' && (event.pending?.length ?? 0) > 0)
  const toAt = (precise: number): number => Math.round((precise - zero) * 10) / 10

  let lost: { readonly error: unknown } | undefined

  const keep = (event: EpisodeEvent): void => {
    events.push(event)
    view.add(event)
    // Whoever was told first may have kept it to himself.
    if (lost !== undefined) throw lost.error
    try {
      sink?.(event)
    } catch (error) {
      lost = { error }
      throw error
    }
  }
  const checkClock = (): void => {
    const jump = Math.round(driftOf(time) - drift)
    if (Math.abs(jump) > MOST_CLOCK_DRIFT)
      throw new RemediumError(
        'clock-jumped',
        `The clock of this machine was set by ${jump} ms while the episode ran.`,
      )
  }
  for (const event of before) keep(event)

  return {
    events,
    view,
    at: () => toAt(time.precise()),
    add(event) {
      keep({ at: toAt(time.precise()), ...event } as EpisodeEvent)
      if (event.type !== 'harness-failed') checkClock()
    },
    addWalks(records, pending) {
      const walks = records
        .map((record) => toWalkNote(record, toAt(record.intended + record.latencyMs)))
        .filter(([, at]) => at >= 0)
      if (walks.length === 0 && pending.length === 0 && !isWaiting) return
      const underWay = pending.map(([journey, began]) => [journey, toAt(began)] as const)
      // Said once more when the last has come: what was said before counts until then.
      const told = isWaiting || underWay.length > 0 ? { pending: underWay } : {}
      isWaiting = underWay.length > 0
      this.add({ type: 'walks', walks, ...told })
    },
  }
}
