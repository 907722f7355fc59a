/** What the containers of pods use, against what they may use. */

/** As get_metrics tells it. */
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

/** Of the last seconds, in part of which it may still have been well. */
const HELD_SHARE = 0.4
const USED_SHARE = 0.5

/** Whether the container wants more CPU than it may have. */
export const isStarved = ({ cpuCores, cpuLimitCores, throttledShare }: Usage): boolean =>
  cpuLimitCores !== undefined && throttledShare >= HELD_SHARE && cpuCores >= USED_SHARE * cpuLimitCores

const MIB = 2 ** 20
/** No program of such systems needs as much for itself. */
const MUCH_BYTES = 400 * MIB
const MUCH_SHARE = 0.5

export const isBloated = ({ memoryBytes, memoryLimitBytes = Number.POSITIVE_INFINITY }: Usage): boolean =>
  memoryBytes > Math.min(MUCH_BYTES, MUCH_SHARE * memoryLimitBytes)

export const describeUsage = (usage: Usage): string => {
  const { container, pod, cpuCores, cpuLimitCores, throttledShare, memoryBytes, memoryLimitBytes } = usage
  const cpu = cpuLimitCores === undefined ? '' : ` of ${Math.round(cpuLimitCores * 1000)}m`
  const memory = memoryLimitBytes === undefined ? '' : ` of ${Math.round(memoryLimitBytes / MIB)} MiB`
  return (
    `${container} of ${pod} uses ${Math.round(cpuCores * 1000)}m${cpu} CPU, held back in ${Math.round(throttledShare * 100)} % ` +
    `of the periods, and ${Math.round(memoryBytes / MIB)} MiB${memory}`
  )
}
