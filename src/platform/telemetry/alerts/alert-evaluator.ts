/** Evaluates alert rules, and raises and clears alerts. */
import type { Alert } from '#spec'
import type { AlertRule, AlertView } from './alert-rule.ts'

/** An alert is cleared after this time without a finding, so that a flickering state raises one alert. */
const CLEAR_AFTER_MS = 3000

export interface AlertEvaluator {
  /** Evaluates every rule once. */
  evaluate(view: AlertView): void
  active(): readonly Alert[]
  /** Clears all active alerts. */
  clear(now: number): void
  /** Independent of later changes; can be restored any number of times. */
  snapshot(): AlertEvaluatorSnapshot
  restore(snapshot: AlertEvaluatorSnapshot): void
}

interface ActiveAlert {
  readonly alert: Alert
  readonly lastSeen: number
}

/** The active alerts, by rule and labels. */
export type AlertEvaluatorSnapshot = ReadonlyMap<string, ActiveAlert>

export const createAlertEvaluator = (
  rules: readonly AlertRule[],
  { onAlert, onError }: { onAlert(alert: Alert): void; onError(error: Error): void },
): AlertEvaluator => {
  let active = new Map<string, ActiveAlert>()

  const evaluateRule = (rule: AlertRule, view: AlertView): void => {
    for (const { labels, summary } of rule.find(view)) {
      const key = JSON.stringify([rule.name, labels])
      const known = active.get(key)
      if (known !== undefined) {
        active.set(key, { alert: known.alert, lastSeen: view.now })
        continue
      }
      const alert: Alert = { name: rule.name, severity: rule.severity, labels, summary, raised: view.now }
      active.set(key, { alert, lastSeen: view.now })
      onAlert(alert)
    }
  }

  const clear = (key: string, now: number): void => {
    onAlert({ ...active.get(key)!.alert, cleared: now })
    active.delete(key)
  }

  return {
    evaluate(view) {
      for (const rule of rules)
        try {
          evaluateRule(rule, view)
        } catch (error) {
          onError(new Error(`the alert rule ${rule.name} failed`, { cause: error }))
        }
      for (const [key, { lastSeen }] of active) if (view.now - lastSeen > CLEAR_AFTER_MS) clear(key, view.now)
    },
    active: () => [...active.values()].map(({ alert }) => alert),
    clear(now) {
      for (const key of active.keys()) clear(key, now)
    },
    snapshot: () => new Map(active),
    restore(snapshot) {
      active = new Map(snapshot)
    },
  }
}
