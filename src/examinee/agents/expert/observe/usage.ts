/** The resource usage of containers, compared with their limits. */

/** An entry of `usage` in the data of get_metrics. */
export interface Usage {
  readonly pod: string
  readonly service: string
  readonly container: string
  readonly cpuCores: number
  readonly cpuLimitCores?: number
  /** 0 to 1. */
  readonly throttledShare: number
  readonly memoryBytes: number
  readonly memoryLimitBytes?: number
}

/** Not 1, because the container may have been healthy in a part of the period. */
const MIN_THROTTLED_SHARE = 0.4
const MIN_CPU_SHARE = 0.5

/** Whether the container needs more CPU than its limit. */
export const isThrottled = ({ cpuCores, cpuLimitCores, throttledShare }: Usage): boolean =>
  cpuLimitCores !== undefined &&
  throttledShare >= MIN_THROTTLED_SHARE &&
  cpuCores >= MIN_CPU_SHARE * cpuLimitCores

const MIB = 2 ** 20
/** No service of the included systems needs more. */
const MAX_NORMAL_BYTES = 400 * MIB
const MAX_NORMAL_SHARE = 0.5

export const usesExcessiveMemory = ({
  memoryBytes,
  memoryLimitBytes = Number.POSITIVE_INFINITY,
}: Usage): boolean => memoryBytes > Math.min(MAX_NORMAL_BYTES, MAX_NORMAL_SHARE * memoryLimitBytes)

export const describeUsage = (usage: Usage): string => {
  const { container, pod, cpuCores, cpuLimitCores, throttledShare, memoryBytes, memoryLimitBytes } = usage
  const cpu = cpuLimitCores === undefined ? '' : ` of ${Math.round(cpuLimitCores * 1000)}m`
  const memory = memoryLimitBytes === undefined ? '' : ` of ${Math.round(memoryLimitBytes / MIB)} MiB`
  return (
    `${container} of ${pod} uses ${Math.round(cpuCores * 1000)}m${cpu} CPU, throttled in ${Math.round(throttledShare * 100)} % ` +
    `of the periods, and ${Math.round(memoryBytes / MIB)} MiB${memory}`
  )
}
