/** Holds what rules find against what they found before: raises alerts and clears them. */
import type { Alert } from '../../spec/index.ts'
import type { AlertRule, AlertView } from './alert-rule.ts'

/** A rule that finds nothing for so long is content again: states that flicker make one alert. */
const QUIET_MS = 3000

export interface AlertWatch {
  /** Asks every rule once. */
  look(view: AlertView): void
  active(): readonly Alert[]
  /** Clears all that is left. */
  clear(now: number): void
}

export const createAlertWatch = (
  rules: readonly AlertRule[],
  { onAlert, onError }: { onAlert(alert: Alert): void; onError(error: Error): void },
): AlertWatch => {
  const active = new Map<string, { alert: Alert; seen: number }>()

  const ask = (rule: AlertRule, view: AlertView): void => {
    for (const { labels, summary } of rule.find(view)) {
      const key = JSON.stringify([rule.name, labels])
      const known = active.get(key)
      if (known !== undefined) {
        known.seen = view.now
        continue
      }
      const alert: Alert = { name: rule.name, severity: rule.severity, labels, summary, raised: view.now }
      active.set(key, { alert, seen: view.now })
      onAlert(alert)
    }
  }

  const clear = (key: string, now: number): void => {
    onAlert({ ...active.get(key)!.alert, cleared: now })
    active.delete(key)
  }

  return {
    look(view) {
      for (const rule of rules)
        try {
          ask(rule, view)
        } catch (error) {
          onError(new Error(`the alert rule ${rule.name} failed`, { cause: error }))
        }
      for (const [key, { seen }] of active) if (view.now - seen > QUIET_MS) clear(key, view.now)
    },
    active: () => [...active.values()].map(({ alert }) => alert),
    clear(now) {
      for (const key of active.keys()) clear(key, now)
    },
  }
}
