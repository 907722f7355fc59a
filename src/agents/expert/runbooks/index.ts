/** The runbooks, in the order in which they are opened: what objects tell plainly comes before what must be inferred. */
import type { Runbook } from '../runbook.ts'
import { autoscaler } from './autoscaler.ts'
import { configValues } from './config-values.ts'
import { heldClaim } from './held-claim.ts'
import { networkPolicy } from './network-policy.ts'
import { refusedPods } from './refused-pods.ts'
import { rollout } from './rollout.ts'
import { scaledToZero } from './scaled-to-zero.ts'
import { secrets } from './secrets.ts'
import { serviceRouting } from './service-routing.ts'
import { sickNode } from './sick-node.ts'
import { sickPod } from './sick-pod.ts'
import { storeEmptied } from './store-emptied.ts'
import { storeLogin } from './store-login.ts'
import { trafficSurge } from './traffic-surge.ts'
import { unschedulable } from './unschedulable.ts'

export const RUNBOOKS: readonly Runbook[] = [
  ...[scaledToZero, autoscaler, rollout, refusedPods, unschedulable, heldClaim],
  ...[serviceRouting, networkPolicy, secrets, storeLogin, configValues],
  ...[sickNode, trafficSurge, storeEmptied, sickPod],
]
