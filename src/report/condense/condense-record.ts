/** Makes of an episode's record what the page tells of it: a few thousand characters instead of some hundred thousand. */
import type { EpisodeEvent, WalkNote } from '../../spec/index.ts'
import type { EpisodeStory, InjectedFault, JourneyFare, ObjectChange } from '../view/story.ts'
import { createCutter } from './create-cutter.ts'
import { toAlertSpans } from './to-alert-spans.ts'
import { toEntries } from './to-entries.ts'
import { toLoadCurve } from './to-load-curve.ts'

type EventOf<Type extends EpisodeEvent['type']> = Extract<EpisodeEvent, { type: Type }>

const MOST_ALERTS = 40
const MOST_ENTRIES = 400
const MOST_CHANGES = 60

const firstOf = <Type extends EpisodeEvent['type']>(
  events: readonly EpisodeEvent[],
  type: Type,
): EventOf<Type> | undefined => events.find((event): event is EventOf<Type> => event.type === type)

const allOf = <Type extends EpisodeEvent['type']>(
  events: readonly EpisodeEvent[],
  type: Type,
): EventOf<Type>[] => events.filter((event): event is EventOf<Type> => event.type === type)

/** An intermittent or growing one is put in again and again: its first time counts, and the last time it was taken back. */
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
  walks: readonly WalkNote[],
  injected: number,
): readonly JourneyFare[] =>
  (firstOf(events, 'baseline-taken')?.journeys ?? []).map(({ journey, p50 }) => {
    const mine = walks.filter(([name, at]) => name === journey && at >= injected)
    const lost = mine.filter(([, , , failedAt]) => failedAt !== undefined).length
    return { journey, usualP50: Math.round(p50), walks: mine.length, lost }
  })

const usualP50 = (events: readonly EpisodeEvent[]): number | undefined => {
  const journeys = firstOf(events, 'baseline-taken')?.journeys ?? []
  const walks = journeys.reduce((sum, one) => sum + one.walks, 0)
  if (walks === 0) return undefined
  return Math.round(journeys.reduce((sum, one) => sum + one.p50 * one.walks, 0) / walks)
}

const toChanges = (events: readonly EpisodeEvent[]): readonly ObjectChange[] => {
  const began = firstOf(events, 'solver-began')?.at ?? Number.POSITIVE_INFINITY
  const changes = new Map<string, ObjectChange>()
  for (const event of allOf(events, 'object-changed')) {
    if (event.at < began) continue
    const object = `${event.object.kind}/${event.object.metadata.name}`
    const before = changes.get(object) ?? { object, added: 0, modified: 0, deleted: 0 }
    changes.set(object, { ...before, [event.change]: before[event.change] + 1 })
  }
  return [...changes.values()]
}

/** Who is found to have mended it has proved it in a window that began earlier than the solver ended, or later. */
const toWindow = (events: readonly EpisodeEvent[]): EpisodeStory['window'] => {
  const [verdict, began, ended] = [
    firstOf(events, 'verdict-given'),
    firstOf(events, 'solver-began'),
    firstOf(events, 'solver-ended'),
  ]
  if (verdict === undefined || began === undefined) return undefined
  const { outcome, metrics } = verdict.verdict
  if (outcome === 'resolved' && metrics.timeToMitigate !== undefined)
    return { from: began.at + metrics.timeToMitigate, to: verdict.at }
  return ended === undefined ? undefined : { from: ended.at, to: verdict.at }
}

const toSolver = (events: readonly EpisodeEvent[], length: number): EpisodeStory['solver'] => {
  const began = firstOf(events, 'solver-began')
  if (began === undefined) return undefined
  return { from: began.at, to: firstOf(events, 'solver-ended')?.at ?? length }
}

/** What else the first event of each type tells. */
const toRest = (
  events: readonly EpisodeEvent[],
  cut: (text: string) => string,
): Pick<EpisodeStory, 'shown' | 'report' | 'failure' | 'budget'> => {
  const shown = firstOf(events, 'fault-shown')
  const report = firstOf(events, 'report-given')
  const failure = firstOf(events, 'harness-failed')
  const budget = firstOf(events, 'episode-began')?.problem.budget
  return {
    ...(shown && { shown: { at: shown.at, isShown: shown.shown, evidence: cut(shown.evidence) } }),
    ...(report && { report: cut(report.text) }),
    ...(failure && { failure: { code: failure.code, message: cut(failure.message), blame: failure.blame } }),
    ...(budget && { budget: { steps: budget.steps, seconds: budget.seconds } }),
  }
}

/** `mostText`: how many characters of one text are kept. */
export const condenseRecord = (events: readonly EpisodeEvent[], mostText: number): EpisodeStory => {
  const cutter = createCutter(mostText)
  const began = firstOf(events, 'episode-began')
  const walks = allOf(events, 'walks').flatMap((event) => event.walks)
  const length = events.reduce((latest, { at }) => Math.max(latest, at), 0)
  const faults = toFaults(events)
  const verdict = firstOf(events, 'verdict-given')?.verdict
  const usual = usualP50(events)
  const [solver, window] = [toSolver(events, length), toWindow(events)]
  const zero = began === undefined ? 0 : began.time - began.at
  const story: Omit<EpisodeStory, 'cuts'> = {
    length,
    faults,
    load: toLoadCurve(walks, length),
    ...toRest(events, cutter.text),
    ...(solver && { solver }),
    ...(window && { window }),
    ...(usual === undefined ? {} : { usualP50: usual }),
    journeys: toJourneys(events, walks, faults[0]?.at ?? 0),
    alerts: cutter.list(toAlertSpans(events, zero, length, cutter), MOST_ALERTS),
    entries: cutter.list(toEntries(events, cutter), MOST_ENTRIES),
    judgements: (verdict?.judgements ?? []).map((one) => ({ ...one, evidence: cutter.text(one.evidence) })),
    damage: cutter
      .list(verdict?.damage ?? [], MOST_CHANGES)
      .map((one) => ({ object: cutter.text(one.object), what: cutter.text(one.what) })),
    changes: cutter.list(toChanges(events), MOST_CHANGES),
  }
  return { ...story, cuts: cutter.cuts }
}
