/** Repairs of probes that keep the right check and leave the timing to the defaults of Kubernetes. */
import { deployedCheck, patchTarget, withWholeProbe } from '#exam/fault-parts'
import type { ProbeName } from '#spec'
import type { RightRepair } from './right-repair.ts'

const FIELDS: Readonly<Record<string, ProbeName>> = {
  'readiness-never': 'readinessProbe',
  'liveness-kills': 'livenessProbe',
}

export const PROBES: readonly RightRepair[] = Object.entries(FIELDS).map(([fault, field]) => ({
  name: `correct-the-probe-of-${fault}-with-default-timing`,
  about: 'Corrects the check of the probe, and removes its timing, so that the defaults apply',
  faults: [fault],
  async act(context) {
    const check = deployedCheck(context.system, context.target.service, field)
    await patchTarget(context, { template: { spec: withWholeProbe(context, field, check) } })
  },
}))
