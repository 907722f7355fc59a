/** The kinds of signals in a telemetry file, and counts by kind. */

export const SIGNAL_KINDS = ['spans', 'logs', 'metrics', 'events', 'requests', 'journeys', 'alerts'] as const

export type SignalKind = (typeof SIGNAL_KINDS)[number]

export type SignalCounts = Record<SignalKind, number>

export const noSignals = (): SignalCounts => ({
  spans: 0,
  logs: 0,
  metrics: 0,
  events: 0,
  requests: 0,
  journeys: 0,
  alerts: 0,
})

/** Adds `more` to `sum` in place. */
export const addCounts = (sum: SignalCounts, more: SignalCounts): void => {
  for (const kind of SIGNAL_KINDS) sum[kind] += more[kind]
}

export const sumCounts = (...counts: readonly SignalCounts[]): SignalCounts => {
  const sum = noSignals()
  for (const count of counts) addCounts(sum, count)
  return sum
}
