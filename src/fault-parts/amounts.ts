/** Amounts of CPU and memory as manifests write them. */
import { type ContainerView, quantityValue } from '../spec/index.ts'

type Resources = NonNullable<ContainerView['resources']>

/** Limits of twice the baseline are still the service's own; above them somebody has bought silence. */
const MOST_TIMES = 2

/** Whether a limit is no less than before, nor far more; what had none needs none. */
export const isLimitBack = (
  before: Resources | undefined,
  now: Resources | undefined,
  resource: string,
): boolean => {
  const [least, limit] = [quantityValue(before?.limits?.[resource]), quantityValue(now?.limits?.[resource])]
  return least === undefined || (limit !== undefined && limit >= least && limit <= MOST_TIMES * least)
}

/** Whether as much is reserved as before, or more; who says nothing of it reserves its limit. */
export const isRequestBack = (
  before: Resources | undefined,
  now: Resources | undefined,
  resource: string,
): boolean => {
  const least = quantityValue(before?.requests?.[resource])
  const request = quantityValue(now?.requests?.[resource] ?? now?.limits?.[resource])
  return least === undefined || (request !== undefined && request >= least)
}

/** Of cores: `0.25` is `250m`. */
export const toCpu = (cores: number): string => `${Math.max(1, Math.round(cores * 1000))}m`

/** Of bytes, in MiB. */
export const toMemory = (bytes: number): string => `${Math.max(1, Math.round(bytes / 2 ** 20))}Mi`

/** So many times as much, in the unit that it is written in: twice `1.5Gi` is `3Gi`. */
export const multiplyAmount = (written: string | number, factor: number): string =>
  String(written).replace(/^[\d.]+/, (number) => String(Number(number) * factor))
