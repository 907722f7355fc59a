/** MicroRemed's rules, by failure type, for the observations of the target's pods. */
import type { FaultCategory, Finding } from '#spec'

export interface CheckedContainer {
  readonly name: string
  /** Cores and bytes; undefined without a limit. */
  readonly limits: { readonly cpu: number | undefined; readonly memory: number | undefined }
  /** Cores and bytes; undefined if the metrics API does not list the container. */
  readonly usage: { readonly cpu: number; readonly memory: number } | undefined
}

/** The observations of one round. A probe is undefined if it failed, or if the type needs none. */
export interface CheckedPod {
  readonly name: string
  /** Not being deleted, running, and ready. */
  readonly isReady: boolean
  readonly containers: readonly CheckedContainer[]
  readonly ping?: { readonly lossPercent: number; readonly averageMs: number | undefined } | undefined
  /** The time to write 10 MiB. */
  readonly writeSeconds?: number | undefined
}

const MAX_USAGE_SHARE = 0.5
const MAX_LOSS_PERCENT = 0
const MAX_LATENCY_MS = 1000
/** 10 MiB in this time correspond to MicroRemed's limit of 10 MB/s. */
const MAX_WRITE_SECONDS = 1
const MIB = 2 ** 20

const isSidecar = ({ name }: CheckedContainer): boolean => /sidecar|busybox/i.test(name)

const mainContainers = (pods: readonly CheckedPod[]) =>
  pods.flatMap((pod) =>
    pod.containers
      .filter((container) => !isSidecar(container))
      .map((container) => ({ ...container, fullName: `${pod.name}/${container.name}` })),
  )

/** Without pods the finding does not hold: nothing was measured. */
const toFinding = (pods: readonly CheckedPod[], failures: readonly string[], success: string): Finding => {
  if (pods.length === 0) return { holds: false, evidence: 'the target has no pods' }
  return failures.length === 0
    ? { holds: true, evidence: success }
    : { holds: false, evidence: failures.join('; ') }
}

/**
 * Containers without a limit, and those without metrics, do not count. Usage is rounded
 * up to millicores, as `kubectl top` prints it.
 */
const checkCpu = (pods: readonly CheckedPod[]): Finding => {
  if (!pods.some(({ containers }) => containers.some(({ usage }) => usage !== undefined)))
    return { holds: false, evidence: 'there are no metrics for the target' }
  const failures = mainContainers(pods).flatMap(({ fullName, limits, usage }) => {
    if (!limits.cpu || usage === undefined) return []
    const [used, limit] = [Math.ceil(usage.cpu * 1000), Math.floor(limits.cpu * 1000)]
    return used / limit < MAX_USAGE_SHARE ? [] : [`${fullName} uses ${used}m of ${limit}m CPU`]
  })
  return toFinding(pods, failures, 'the CPU usage of each container is below half of its limit')
}

/**
 * Containers without a limit do not count; those without metrics fail. Usage is
 * rounded down to MiB, as `kubectl top` prints it.
 */
const checkMemory = (pods: readonly CheckedPod[]): Finding => {
  const failures = mainContainers(pods).flatMap(({ fullName, limits, usage }) => {
    if (!limits.memory) return []
    if (usage === undefined) return [`there are no metrics for ${fullName}`]
    const [used, limit] = [Math.floor(usage.memory / MIB), limits.memory / MIB]
    return used / limit < MAX_USAGE_SHARE ? [] : [`${fullName} uses ${used} of ${limit} MiB of memory`]
  })
  return toFinding(pods, failures, 'the memory usage of each container is below half of its limit')
}

const checkReady = (pods: readonly CheckedPod[]): Finding => {
  const failures = pods.filter(({ isReady }) => !isReady).map(({ name }) => `${name} is not ready`)
  const ready = toFinding(pods, failures, 'all pods are ready, and the target has metrics')
  const hasMetrics = pods.some(({ containers }) => containers.some(({ usage }) => usage !== undefined))
  return ready.holds && !hasMetrics
    ? { holds: false, evidence: 'there are no metrics for the target' }
    : ready
}

const checkNetwork = (pods: readonly CheckedPod[]): Finding => {
  const failures = pods.flatMap(({ name, ping }) => {
    if (ping === undefined) return [`${name} could not ping its node`]
    const { lossPercent, averageMs } = ping
    if (lossPercent > MAX_LOSS_PERCENT) return [`${name} loses ${lossPercent} % of its pings`]
    if (averageMs === undefined) return [`the pings of ${name} report no latency`]
    return averageMs <= MAX_LATENCY_MS ? [] : [`the pings of ${name} take ${averageMs} ms on average`]
  })
  return toFinding(pods, failures, 'no ping is lost, and the average latency of each pod is at most 1000 ms')
}

const checkDisk = (pods: readonly CheckedPod[]): Finding => {
  const failures = pods.flatMap(({ name, writeSeconds }) => {
    if (writeSeconds === undefined) return [`${name} did not write 10 MiB within 2 s`]
    return writeSeconds <= MAX_WRITE_SECONDS ? [] : [`${name} writes 10 MiB in ${writeSeconds} s`]
  })
  return toFinding(pods, failures, 'each pod writes at least 10 MiB per second')
}

/** Whether one round of the check passes. The check of pod-config-error combines those of CPU and memory. */
export const microRemedStatus = (
  type: Exclude<FaultCategory, 'pod-config-error'>,
  pods: readonly CheckedPod[],
): Finding => {
  const rules = {
    'cpu-stress': checkCpu,
    'memory-stress': checkMemory,
    'pod-fail': checkReady,
    'network-loss': checkNetwork,
    'network-delay': checkNetwork,
    'disk-io': checkDisk,
  }
  return rules[type](pods)
}
