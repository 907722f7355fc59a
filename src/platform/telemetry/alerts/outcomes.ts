/** The outcomes of journeys and of served requests, by name. */
import type { JourneyRecord, Span } from '#spec'
import { createOutcomeWindow, type OutcomeWindow, type OutcomeWindowState } from './outcome-window.ts'

/** Service names come from pods: an unlimited number of them would fill the memory. */
const MAX_NAMES = 1000

type Windows = Map<string, OutcomeWindow>

export interface OutcomesState {
  readonly journeys: ReadonlyMap<string, OutcomeWindowState>
  readonly services: ReadonlyMap<string, OutcomeWindowState>
}

const windowOf = (windows: Windows, name: string): OutcomeWindow | undefined => {
  const known = windows.get(name)
  if (known !== undefined || windows.size >= MAX_NAMES) return known
  const window = createOutcomeWindow()
  windows.set(name, window)
  return window
}

const toWindows = (states: ReadonlyMap<string, OutcomeWindowState> = new Map()): Windows => {
  const windows: Windows = new Map()
  for (const [name, state] of states) windows.set(name, createOutcomeWindow(state))
  return windows
}

const toStates = (windows: Windows): ReadonlyMap<string, OutcomeWindowState> => {
  const states = new Map<string, OutcomeWindowState>()
  for (const [name, window] of windows) states.set(name, window.snapshot())
  return states
}

const troubledOf = (windows: Windows, now: number): (readonly [string, OutcomeWindow])[] => {
  const troubled: (readonly [string, OutcomeWindow])[] = []
  for (const [name, window] of windows) if (window.hasTrouble(now)) troubled.push([name, window])
  return troubled
}

/** Continues from a snapshot if one is given. */
export const createOutcomes = (from?: OutcomesState) => {
  const journeys = toWindows(from?.journeys)
  const services = toWindows(from?.services)
  return {
    noteSpans(spans: readonly Span[], now: number): void {
      for (const { kind, service, durationMs, status } of spans)
        if (kind === 'server' || kind === 'consumer')
          // Uses the time of arrival, shortly after the end of the span, because the clock of a pod may be wrong.
          windowOf(services, service)?.add(now, { durationMs, failed: status === 'error' })
    },
    noteJourneys(runs: readonly JourneyRecord[]): void {
      for (const { journey, intended, latencyMs, ok } of runs)
        windowOf(journeys, journey)?.add(intended + latencyMs, { durationMs: latencyMs, failed: !ok })
    },
    /** The journeys and services with failed or slow outcomes in the last two minutes. */
    troubled: (now: number) => ({
      journeys: troubledOf(journeys, now),
      services: troubledOf(services, now),
    }),
    fixBaselines(): void {
      for (const windows of [journeys, services])
        for (const window of windows.values()) {
          window.fixBaseline()
          window.clear()
        }
    },
    /** Windows without a baseline are removed. */
    clear(): void {
      for (const windows of [journeys, services])
        for (const [name, window] of windows)
          if (window.slowAboveMs() === undefined) windows.delete(name)
          else window.clear()
    },
    snapshot: (): OutcomesState => ({ journeys: toStates(journeys), services: toStates(services) }),
  }
}
