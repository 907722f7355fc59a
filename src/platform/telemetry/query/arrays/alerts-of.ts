/** Queries alerts in memory. */
import type { Alert, TelemetryQuery } from '#spec'
import { sortLabels } from '../../store/sort-labels.ts'

type AlertFilter = NonNullable<Parameters<TelemetryQuery['alerts']>[0]>

/** Joins the reports of each alert: the last one says whether it is cleared. */
const joinReports = (reports: readonly Alert[]): Iterable<Alert> => {
  const alerts = new Map<string, Alert>()
  for (const report of reports) {
    const labels = sortLabels(report.labels)
    const key = JSON.stringify([report.name, labels, report.raised])
    const { severity } = alerts.get(key) ?? report
    alerts.set(key, { ...report, severity, labels })
  }
  return alerts.values()
}

const matches = ({ raised, cleared }: Alert, { range, active }: AlertFilter): boolean =>
  (range === undefined || (raised < range.to && (cleared === undefined || cleared >= range.from))) &&
  (active === undefined || active === (cleared === undefined))

export const alertsOf = (reports: readonly Alert[], filter: AlertFilter = {}): readonly Alert[] =>
  [...joinReports(reports)].filter((alert) => matches(alert, filter)).sort((a, b) => a.raised - b.raised)
