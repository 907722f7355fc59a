/** Compares and formats amounts of CPU and memory. */
import { type ContainerView, quantityValue } from '#spec'

type Resources = NonNullable<ContainerView['resources']>

/** Limits up to twice the baseline are accepted; higher ones only hide the fault. */
const MAX_LIMIT_FACTOR = 2

/** Whether a limit is at least the former one and not far above it. Without a former limit any value is accepted. */
export const isLimitRestored = (
  before: Resources | undefined,
  now: Resources | undefined,
  resource: string,
): boolean => {
  const [minimum, limit] = [quantityValue(before?.limits?.[resource]), quantityValue(now?.limits?.[resource])]
  return (
    minimum === undefined || (limit !== undefined && limit >= minimum && limit <= MAX_LIMIT_FACTOR * minimum)
  )
}

/** Whether a request is at least the former one. The request defaults to the limit. */
export const isRequestRestored = (
  before: Resources | undefined,
  now: Resources | undefined,
  resource: string,
): boolean => {
  const minimum = quantityValue(before?.requests?.[resource])
  const request = quantityValue(now?.requests?.[resource] ?? now?.limits?.[resource])
  return minimum === undefined || (request !== undefined && request >= minimum)
}

/** Formats cores: 0.25 becomes `250m`. */
export const toCpu = (cores: number): string => `${Math.max(1, Math.round(cores * 1000))}m`

/** Formats bytes in MiB. */
export const toMemory = (bytes: number): string => `${Math.max(1, Math.round(bytes / 2 ** 20))}Mi`

/** Multiplies an amount and keeps its unit: twice `1.5Gi` is `3Gi`. */
export const multiplyAmount = (amount: string | number, factor: number): string =>
  String(amount).replace(/^[\d.]+/, (number) => String(Number(number) * factor))
