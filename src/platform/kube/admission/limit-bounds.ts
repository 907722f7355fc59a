/** Checks amounts against the bounds of a LimitRange item and returns messages. */
import type { LimitRangeItem } from 'kubernetes-types/core/v1.d.ts'
import { canonicalQuantity, compareQuantities, milliValue } from '#platform/kube/meta'

export type Amounts = Readonly<Record<string, string>>

/** Checks the bounds in the order of their names. */
const checkEach = (
  bounds: Amounts | undefined,
  check: (name: string, bound: string) => string | undefined,
): string[] =>
  Object.keys(bounds ?? {})
    .sort()
    .flatMap((name) => check(name, canonicalQuantity(bounds![name]!)) ?? [])

export const belowMinimum = ({ type, min }: LimitRangeItem, requests: Amounts, limits: Amounts): string[] =>
  checkEach(min, (name, bound) => {
    const text = `minimum ${name} usage per ${type} is ${bound}`
    const [request, limit] = [requests[name], limits[name]]
    if (request === undefined) return `${text}.  No request is specified`
    if (compareQuantities(request, bound) < 0) return `${text}, but request is ${canonicalQuantity(request)}`
    return limit !== undefined && compareQuantities(limit, bound) < 0
      ? `${text}, but limit is ${canonicalQuantity(limit)}`
      : undefined
  })

export const aboveMaximum = ({ type, max }: LimitRangeItem, requests: Amounts, limits: Amounts): string[] =>
  checkEach(max, (name, bound) => {
    const text = `maximum ${name} usage per ${type} is ${bound}`
    const [request, limit] = [requests[name], limits[name]]
    if (limit === undefined) return `${text}.  No limit is specified`
    if (compareQuantities(limit, bound) > 0) return `${text}, but limit is ${canonicalQuantity(limit)}`
    return request !== undefined && compareQuantities(request, bound) > 0
      ? `${text}, but request is ${canonicalQuantity(request)}`
      : undefined
  })

/** For claims, which have no limits. */
export const requestAboveMaximum = ({ type, max }: LimitRangeItem, requests: Amounts): string[] =>
  checkEach(max, (name, bound) => {
    const text = `maximum ${name} usage per ${type} is ${bound}`
    const request = requests[name]
    if (request === undefined) return `${text}.  No request is specified`
    return compareQuantities(request, bound) > 0
      ? `${text}, but request is ${canonicalQuantity(request)}`
      : undefined
  })

export const aboveRatio = (
  { type, maxLimitRequestRatio }: LimitRangeItem,
  requests: Amounts,
  limits: Amounts,
): string[] =>
  checkEach(maxLimitRequestRatio, (name, bound) => {
    const text = `${name} max limit to request ratio per ${type} is ${bound}`
    const [request, limit] = [milliValue(requests[name]), milliValue(limits[name])]
    if (request === 0) return `${text}, but no request is specified or request is 0`
    if (limit === 0) return `${text}, but no limit is specified or limit is 0`
    const ratio = limit / request
    return ratio * 1000 > milliValue(bound) ? `${text}, but provided ratio is ${ratio.toFixed(6)}` : undefined
  })
