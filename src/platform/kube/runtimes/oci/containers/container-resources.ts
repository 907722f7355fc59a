/** Converts requests and limits to the OCI resources of a container. */
import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import type { Container, Pod } from 'kubernetes-types/core/v1.d.ts'
import type { Cgroups } from '#machine/linux'
import type { OciResources } from '#machine/oci'
import { cpuMillisOf, memoryLimitOf, oomScoreOf } from '#platform/kube/containers'
import type { Stored } from '#platform/kube/meta'

const PERIOD_US = 100_000
const MIN_QUOTA_US = 1000
const MIN_SHARES = 2
const MAX_SHARES = 262_144
/** Stops fork bombs. The kubelet has no limit per pod by default. */
const MAX_PROCESSES = 4096

const cpuOf = (container: Container): OciResources['cpu'] => {
  const { limit, request } = cpuMillisOf(container)
  const shares = Math.min(MAX_SHARES, Math.max(MIN_SHARES, Math.floor((request * 1024) / 1000)))
  if (limit === 0) return { shares }
  return {
    shares,
    quota: Math.max(MIN_QUOTA_US, Math.floor((limit * PERIOD_US) / 1000)),
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
    // Swap is disabled as with a kubelet: with swap, a container above its limit would slow down instead of ending.
    ...(limit === undefined ? {} : { memory: { limit, ...(limitsSwap() ? { swap: limit } : {}) } }),
    pids: { limit: MAX_PROCESSES },
    // An OOM kill of one process ends the whole container.
    ...(version === 2 && limit !== undefined ? { unified: { 'memory.oom.group': '1' } } : {}),
  }
}

const ownScore = (): number => Number(readFileSync('/proc/self/oom_score_adj', 'utf8'))

/** The OOM score adjustment. Never below this process's own: only a privileged process may set a lower one. */
export const allowedOomScoreOf = (pod: Stored<Pod>, container: Container): number =>
  Math.max(oomScoreOf(pod, container, totalmem()), ownScore())
