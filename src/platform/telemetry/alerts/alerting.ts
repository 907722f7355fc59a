/** Evaluates the alert rules while they are not paused. */
import type { Clock } from '#kit'
import type { Alert } from '#spec'
import { type AlertEvaluatorSnapshot, createAlertEvaluator } from './alert-evaluator.ts'
import type { AlertRule } from './alert-rule.ts'
import type { AlertState, AlertStateSnapshot } from './alert-state.ts'

export interface AlertingOptions {
  readonly state: AlertState
  readonly rules: readonly AlertRule[]
  readonly clock: Clock
  onAlert(alert: Alert): void
  onError(error: Error): void
}

export interface Alerting {
  /** Evaluates every rule once, unless paused. */
  evaluate(): void
  active(): readonly Alert[]
  /** Starts the evaluation; ignores earlier signals. */
  start(): void
  /** Clears active alerts and earlier outcomes, and fixes the baselines, because the system is healthy now. */
  renew(): void
  /** Stops the evaluation and clears active alerts. */
  pause(): void
  clear(): void
  /** Independent of later changes; can be restored any number of times. */
  snapshot(): AlertingSnapshot
  /** Reports nothing: the alerts of the snapshot have been reported before. */
  restore(snapshot: AlertingSnapshot): void
}

export interface AlertingSnapshot {
  readonly state: AlertStateSnapshot
  readonly active: AlertEvaluatorSnapshot
  readonly isRunning: boolean
}

export const createAlerting = ({ state, rules, clock, onAlert, onError }: AlertingOptions): Alerting => {
  const evaluator = createAlertEvaluator(rules, { onAlert, onError })
  let isRunning = false
  const clear = (): void => evaluator.clear(clock.now())
  return {
    evaluate() {
      if (isRunning) evaluator.evaluate(state.view(clock.now()))
    },
    active: evaluator.active,
    start() {
      isRunning = true
      state.restart(clock.now())
    },
    renew() {
      state.resetOutcomes()
      clear()
    },
    pause() {
      isRunning = false
      clear()
    },
    clear,
    snapshot: () => ({ state: state.snapshot(), active: evaluator.snapshot(), isRunning }),
    restore(snapshot) {
      state.restore(snapshot.state)
      evaluator.restore(snapshot.active)
      isRunning = snapshot.isRunning
    },
  }
}
