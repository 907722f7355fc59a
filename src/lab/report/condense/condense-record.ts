/** Condenses the record of an episode from hundreds of thousands of characters to a few thousand for the page. */
import { defined } from '#kit'
import type { EpisodeEvent, JourneyRunNote } from '#spec'
import type { EpisodeStory, InjectedFault, JourneyOutcome, ObjectChange } from '../view/story.ts'
import { createCutter } from './create-cutter.ts'
import { toAlertSpans } from './to-alert-spans.ts'
import { toEntries } from './to-entries.ts'
import { toLoadCurve } from './to-load-curve.ts'

type EventOf<Type extends EpisodeEvent['type']> = Extract<EpisodeEvent, { type: Type }>

const MAX_ALERTS = 40
const MAX_ENTRIES = 400
const MAX_CHANGES = 60

const firstOf = <Type extends EpisodeEvent['type']>(
  events: readonly EpisodeEvent[],
  type: Type,
): EventOf<Type> | undefined => events.find((event): event is EventOf<Type> => event.type === type)

const allOf = <Type extends EpisodeEvent['type']>(
  events: readonly EpisodeEvent[],
  type: Type,
): EventOf<Type>[] => events.filter((event): event is EventOf<Type> => event.type === type)

/** An intermittent or gradual fault is injected repeatedly: the first injection and the last recovery count. */
const toFaults = (events: readonly EpisodeEvent[]): readonly InjectedFault[] => {
  const faults = new Map<number, InjectedFault>()
  for (const event of events) {
    if (event.type === 'fault-injected') {
      const { at, index, fault, target, params, shape } = event
      const { recovered: _, ...before } = faults.get(index) ?? { at, fault, target, params, shape }
      faults.set(index, before)
    } else if (event.type === 'fault-recovered') {
      const before = faults.get(event.index)
      if (before !== undefined) faults.set(event.index, { ...before, recovered: event.at })
    }
  }
  return [...faults.values()]
}

const toJourneys = (
  events: readonly EpisodeEvent[],
  runs: readonly JourneyRunNote[],
  injected: number,
): readonly JourneyOutcome[] =>
  (firstOf(events, 'baseline-taken')?.journeys ?? []).map(({ journey, p50 }) => {
    const journeyRuns = runs.filter(([name, at]) => name === journey && at >= injected)
    const failed = journeyRuns.filter(([, , , failedAt]) => failedAt !== undefined).length
    return { journey, baselineP50: Math.round(p50), runs: journeyRuns.length, failed }
  })

const baselineP50Of = (events: readonly EpisodeEvent[]): number | undefined => {
  const journeys = firstOf(events, 'baseline-taken')?.journeys ?? []
  const runs = journeys.reduce((sum, journey) => sum + journey.runs, 0)
  if (runs === 0) return undefined
  return Math.round(journeys.reduce((sum, journey) => sum + journey.p50 * journey.runs, 0) / runs)
}

const toChanges = (events: readonly EpisodeEvent[]): readonly ObjectChange[] => {
  const started = firstOf(events, 'solver-started')?.at ?? Number.POSITIVE_INFINITY
  const changes = new Map<string, ObjectChange>()
  for (const event of allOf(events, 'object-changed')) {
    if (event.at < started) continue
    const object = `${event.object.kind}/${event.object.metadata.name}`
    const before = changes.get(object) ?? { object, added: 0, modified: 0, deleted: 0 }
    changes.set(object, { ...before, [event.change]: before[event.change] + 1 })
  }
  return [...changes.values()]
}

/** For a resolved episode, returns the stability window that proved the repair. It can start before the solver ended. */
const toWindow = (events: readonly EpisodeEvent[]): EpisodeStory['window'] => {
  const [verdict, started, ended] = [
    firstOf(events, 'verdict-given'),
    firstOf(events, 'solver-started'),
    firstOf(events, 'solver-ended'),
  ]
  if (verdict === undefined || started === undefined) return undefined
  const { outcome, metrics } = verdict.verdict
  if (outcome === 'resolved' && metrics.timeToMitigate !== undefined)
    return { from: started.at + metrics.timeToMitigate, to: verdict.at }
  return ended === undefined ? undefined : { from: ended.at, to: verdict.at }
}

const toSolver = (events: readonly EpisodeEvent[], length: number): EpisodeStory['solver'] => {
  const started = firstOf(events, 'solver-started')
  if (started === undefined) return undefined
  return { from: started.at, to: firstOf(events, 'solver-ended')?.at ?? length }
}

/** The parts of the story that come from the first event of a type. */
const toSingleEvents = (
  events: readonly EpisodeEvent[],
  cut: (text: string) => string,
): Pick<EpisodeStory, 'impact' | 'report' | 'failure' | 'budget'> => {
  const impact = firstOf(events, 'user-impact-observed')
  const report = firstOf(events, 'report-given')
  const failure = firstOf(events, 'harness-failed')
  const budget = firstOf(events, 'episode-started')?.problem.budget
  return {
    ...(impact && {
      impact: { at: impact.at, affected: impact.affected, evidence: cut(impact.evidence) },
    }),
    ...(report && { report: cut(report.text) }),
    ...(failure && { failure: { code: failure.code, message: cut(failure.message), blame: failure.blame } }),
    ...(budget && { budget: { steps: budget.steps, seconds: budget.seconds } }),
  }
}

export const condenseRecord = (events: readonly EpisodeEvent[], maxTextCharacters: number): EpisodeStory => {
  const cutter = createCutter(maxTextCharacters)
  const started = firstOf(events, 'episode-started')
  const runs = allOf(events, 'journeys-run').flatMap((event) => event.runs)
  // MicroRemed's check comes after the verdict and is not part of the story.
  const length = events.reduce(
    (latest, { at, type }) => (type === 'micro-remed-checked' ? latest : Math.max(latest, at)),
    0,
  )
  const faults = toFaults(events)
  const verdict = firstOf(events, 'verdict-given')?.verdict
  const baselineP50 = baselineP50Of(events)
  const [solver, window] = [toSolver(events, length), toWindow(events)]
  const startTime = started === undefined ? 0 : started.time - started.at
  const story: Omit<EpisodeStory, 'cuts'> = {
    length,
    faults,
    load: toLoadCurve(runs, length),
    ...toSingleEvents(events, cutter.text),
    ...(solver && { solver }),
    ...(window && { window }),
    ...defined({ baselineP50 }),
    journeys: toJourneys(events, runs, faults[0]?.at ?? 0),
    alerts: cutter.list(toAlertSpans(events, startTime, length, cutter), MAX_ALERTS),
    entries: cutter.list(toEntries(events, cutter), MAX_ENTRIES),
    judgements: (verdict?.judgements ?? []).map((judgement) => ({
      ...judgement,
      evidence: cutter.text(judgement.evidence),
    })),
    damage: cutter
      .list(verdict?.damage ?? [], MAX_CHANGES)
      .map(({ object, what }) => ({ object: cutter.text(object), what: cutter.text(what) })),
    changes: cutter.list(toChanges(events), MAX_CHANGES),
  }
  return { ...story, cuts: cutter.cuts }
}
