/** The kinds of signals that a telemetry file keeps, and how many of each something happened to. */

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

/** Adds up in place. */
export const addCounts = (sum: SignalCounts, more: SignalCounts): void => {
  for (const kind of SIGNAL_KINDS) sum[kind] += more[kind]
}
