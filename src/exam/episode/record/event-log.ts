/** The record of an episode while it is written: stamps events, keeps them, and passes them to the view and the sink. */
import { createEpisodeView, type EpisodeView } from '#exam/oracles'
import { MAX_CLOCK_DRIFT_MS } from '#kit'
import {
  type EpisodeEvent,
  type Fault,
  type JourneyRecord,
  RemediumError,
  type SystemView,
  toJourneyRunNote,
} from '#spec'
import type { EpisodeTime } from '../laboratory/episode-time.ts'

type Unstamped<E> = E extends unknown ? Omit<E, 'at'> : never
/** An event before it has its time. */
export type NewEvent = Unstamped<EpisodeEvent>

/** Receives every event; throws if it cannot keep one. */
export type EventSink = (event: EpisodeEvent) => void

export interface EventLog {
  readonly events: readonly EpisodeEvent[]
  readonly view: EpisodeView
  /** Milliseconds since the episode began. */
  at(): number
  /** Throws if the event cannot be kept, and then on every later call: a record has no gaps. */
  add(event: NewEvent): void
  /** `pending` are requested runs that have not ended, with their start in milliseconds since the epoch. */
  addJourneyRuns(
    records: readonly JourneyRecord[],
    pending: readonly (readonly [journey: string, startedAt: number])[],
  ): void
}

export interface EventLogOptions {
  readonly system: SystemView
  readonly faults: ReadonlyMap<string, Fault>
  readonly time: EpisodeTime
  /** Time 0 of the record, by `time.precise`. */
  readonly zero: number
  /** The result of `driftOf` from which jumps of the clock are measured; by default the current one. */
  readonly drift?: number
  /** Events that the preparation has recorded. */
  readonly before?: readonly EpisodeEvent[]
  readonly sink?: EventSink | undefined
}

/** The difference in milliseconds between the machine's clock, which can jump, and the monotonic clock. */
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
  let hasPending = before.some((event) => event.type === 'journeys-run' && (event.pending?.length ?? 0) > 0)
  const toAt = (precise: number): number => Math.round((precise - zero) * 10) / 10

  let sinkFailure: { readonly error: unknown } | undefined

  const keep = (event: EpisodeEvent): void => {
    events.push(event)
    view.add(event)
    // The sink has lost an event, so it gets no later ones; the event is kept in memory only.
    if (sinkFailure !== undefined) throw sinkFailure.error
    try {
      sink?.(event)
    } catch (error) {
      sinkFailure = { error }
      throw error
    }
  }
  const checkClock = (): void => {
    const jump = Math.round(driftOf(time) - drift)
    if (Math.abs(jump) > MAX_CLOCK_DRIFT_MS)
      throw new RemediumError(
        'clock-jumped',
        `The clock of this machine jumped by ${jump} ms during the episode.`,
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
    addJourneyRuns(records, pending) {
      const runs = records
        .map((record) => toJourneyRunNote(record, toAt(record.intended + record.latencyMs)))
        .filter(([, at]) => at >= 0)
      if (runs.length === 0 && pending.length === 0 && !hasPending) return
      const unfinished = pending.map(([journey, startedAt]) => [journey, toAt(startedAt)] as const)
      // An empty list is written once, when the last pending run has ended.
      const pendingNow = hasPending || unfinished.length > 0 ? { pending: unfinished } : {}
      hasPending = unfinished.length > 0
      this.add({ type: 'journeys-run', runs, ...pendingNow })
    },
  }
}
