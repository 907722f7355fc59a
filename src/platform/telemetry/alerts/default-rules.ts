/** The alert rules of every system. */
import type { AlertRule } from './alert-rule.ts'
import { containerCpuThrottled } from './rules/container-cpu-throttled.ts'
import { containerMemoryNearLimit } from './rules/container-memory-near-limit.ts'
import { journeyErrorBudgetBurn } from './rules/journey-error-budget-burn.ts'
import { journeyErrorBudgetDrain } from './rules/journey-error-budget-drain.ts'
import { journeySlow } from './rules/journey-slow.ts'
import { nodeNotReady } from './rules/node-not-ready.ts'
import { podNotReady } from './rules/pod-not-ready.ts'
import { podOutOfMemory } from './rules/pod-out-of-memory.ts'
import { podRestarting } from './rules/pod-restarting.ts'
import { podUnschedulable } from './rules/pod-unschedulable.ts'
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
  podUnschedulable,
  podOutOfMemory,
  podRestarting,
  workloadReplicasMissing,
  containerMemoryNearLimit,
  containerCpuThrottled,
  volumeNearlyFull,
  nodeNotReady,
]
