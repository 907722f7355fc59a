/** The rules that every system has. */
import type { AlertRule } from './alert-rule.ts'
import { containerMemoryHigh } from './rules/container-memory-high.ts'
import { containerThrottled } from './rules/container-throttled.ts'
import { journeyErrorBudgetBurn } from './rules/journey-error-budget-burn.ts'
import { journeyErrorBudgetDrain } from './rules/journey-error-budget-drain.ts'
import { journeySlow } from './rules/journey-slow.ts'
import { nodeNotReady } from './rules/node-not-ready.ts'
import { podNotReady } from './rules/pod-not-ready.ts'
import { podOutOfMemory } from './rules/pod-out-of-memory.ts'
import { podPending } from './rules/pod-pending.ts'
import { podRestarting } from './rules/pod-restarting.ts'
import { podWaiting } from './rules/pod-waiting.ts'
import { serviceErrorRateHigh } from './rules/service-error-rate-high.ts'
import { volumeNearlyFull } from './rules/volume-nearly-full.ts'
import { workloadReplicasMissing } from './rules/workload-replicas-missing.ts'

export const DEFAULT_RULES: readonly AlertRule[] = [
  journeyErrorBudgetBurn,
  journeyErrorBudgetDrain,
  journeySlow,
  serviceErrorRateHigh,
  ...podWaiting,
  podNotReady,
  podPending,
  podOutOfMemory,
  podRestarting,
  workloadReplicasMissing,
  containerMemoryHigh,
  containerThrottled,
  volumeNearlyFull,
  nodeNotReady,
]
