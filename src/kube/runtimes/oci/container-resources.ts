/** What a container may use of the machine, from its requests and limits. */
import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Cgroups } from '../../../linux/index.ts'
import type { OciResources } from '../../../oci/index.ts'
import { milliValue, type Stored, unitValue } from '../../meta/index.ts'

const PERIOD_US = 100_000
const LEAST_QUOTA_US = 1000
const LEAST_SHARES = 2
const MOST_SHARES = 262_144
/** Stops a fork bomb; the kubelet's own default is what the node bears. */
const MOST_PROCESSES = 4096

/** Bytes; nothing where it has no limit. */
export const memoryLimitOf = ({ resources }: Container): number | undefined => {
  const limit = unitValue(resources?.limits?.memory)
  return limit > 0 ? limit : undefined
}

const cpuOf = ({ resources }: Container): OciResources['cpu'] => {
  const limit = milliValue(resources?.limits?.cpu)
  const request = resources?.requests?.cpu === undefined ? limit : milliValue(resources.requests.cpu)
  const shares = Math.min(MOST_SHARES, Math.max(LEAST_SHARES, Math.floor((request * 1024) / 1000)))
  if (limit === 0) return { shares }
  return {
    shares,
    quota: Math.max(LEAST_QUOTA_US, Math.floor((limit * PERIOD_US) / 1000)),
    period: PERIOD_US,
  }
}

export const resourcesOf = (
  container: Container,
  { version, limitsSwap }: Pick<Cgroups, 'version' | 'limitsSwap'>,
): OciResources => {
  const limit = memoryLimitOf(container)
  return {
    devices: [{ allow: false, access: 'rwm' }],
    cpu: cpuOf(container),
    // As with a kubelet, nothing is swapped out: a container past its limit would else slow down in place of ending.
    ...(limit === undefined ? {} : { memory: { limit, ...(limitsSwap() ? { swap: limit } : {}) } }),
    pids: { limit: MOST_PROCESSES },
    // One process without memory ends the whole container.
    ...(version === 2 && limit !== undefined ? { unified: { 'memory.oom.group': '1' } } : {}),
  }
}

const ownScore = (): number => Number(readFileSync('/proc/self/oom_score_adj', 'utf8'))

/** How early the kernel picks it when the machine has no memory left. Only who may lower it below our own can. */
export const oomScoreOf = (pod: Stored<Pod>, { resources }: Container): number => {
  const burstable = (): number => {
    const share = unitValue(resources?.requests?.memory) / totalmem()
    return Math.min(999, Math.max(2, 1000 - Math.floor(1000 * share)))
  }
  const { qosClass } = pod.status
  const score = qosClass === 'Guaranteed' ? -997 : qosClass === 'Burstable' ? burstable() : 1000
  return Math.max(score, ownScore())
}
