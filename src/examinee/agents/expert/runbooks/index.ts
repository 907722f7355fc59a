/** The runbooks in order of use: those that read causes from objects come before those that infer them. */
import type { Runbook } from '../runbook.ts'
import { autoscaler } from './autoscaler.ts'
import { configValues } from './config-values.ts'
import { faultyNode } from './faulty-node.ts'
import { faultyPod } from './faulty-pod.ts'
import { networkPolicy } from './network-policy.ts'
import { refusedPods } from './refused-pods.ts'
import { rollout } from './rollout.ts'
import { scaledToZero } from './scaled-to-zero.ts'
import { secrets } from './secrets.ts'
import { serviceRouting } from './service-routing.ts'
import { storeEmptied } from './store-emptied.ts'
import { storeLogin } from './store-login.ts'
import { throttledClaim } from './throttled-claim.ts'
import { trafficSurge } from './traffic-surge.ts'
import { unschedulable } from './unschedulable.ts'

export const RUNBOOKS: readonly Runbook[] = [
  ...[scaledToZero, autoscaler, rollout, refusedPods, unschedulable, throttledClaim],
  ...[serviceRouting, networkPolicy, secrets, storeLogin, configValues],
  ...[faultyNode, trafficSurge, storeEmptied, faultyPod],
]
