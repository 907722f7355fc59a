/** The LimitRange kind. */
import type { LimitRange, LimitRangeItem } from 'kubernetes-types/core/v1.d.ts'
import {
  compareQuantities,
  duplicate,
  type FieldError,
  forbiddenField,
  invalid,
  milliValue,
  qualifiedNameProblems,
  required,
} from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { plainTable } from '../standard-columns.ts'
import { goQuantity } from '../validation/go-quantity.ts'

type Amounts = Record<string, string>

const AMOUNT_FIELDS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

const withFallback = (amounts: Amounts | undefined, fallback: Amounts | undefined): Amounts => ({
  ...fallback,
  ...amounts,
})

/** Limits default to the maximum. Requests default to the limits, then to the minimum. */
const defaultItem = (item: LimitRangeItem): void => {
  if (item.type !== 'Container') return
  const limits = withFallback(item.default, item.max)
  const requests = withFallback(withFallback(item.defaultRequest, limits), item.min)
  if (Object.keys(limits).length > 0) item.default = limits
  if (Object.keys(requests).length > 0) item.defaultRequest = requests
}

/** Two amounts of one resource, of which `low` must not exceed `high`. */
interface OrderedPair {
  low: string | undefined
  high: string | undefined
  /** The field that the error names, and the value that it shows. */
  part: string
  reportedValue: string | undefined
  names: readonly [low: string, high: string]
}

const validateOrder = (
  { low, high, part, reportedValue, names }: OrderedPair,
  name: string,
  field: string,
) => {
  if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) return []
  const detail = `${names[0]} value ${low} is greater than ${names[1]} value ${high}`
  return [invalid(`${field}.${part}[${name}]`, goQuantity(reportedValue ?? low), detail)]
}

/** Validates the order of the amounts of one resource. */
const validateRelations = (item: LimitRangeItem, name: string, field: string): FieldError[] => {
  const [min, max] = [item.min?.[name], item.max?.[name]]
  const [limit, request] = [item.default?.[name], item.defaultRequest?.[name]]
  const ratio = item.maxLimitRequestRatio?.[name]
  const pairs: OrderedPair[] = [
    { low: min, high: max, part: 'min', reportedValue: min, names: ['min', 'max'] },
    {
      low: min,
      high: request,
      part: 'defaultRequest',
      reportedValue: request,
      names: ['min', 'default request'],
    },
    {
      low: request,
      high: max,
      part: 'defaultRequest',
      reportedValue: request,
      names: ['default request', 'max'],
    },
    {
      low: request,
      high: limit,
      part: 'defaultRequest',
      reportedValue: request,
      names: ['default request', 'default limit'],
    },
    { low: min, high: limit, part: 'default', reportedValue: min, names: ['min', 'default'] },
    { low: limit, high: max, part: 'default', reportedValue: max, names: ['default', 'max'] },
  ]
  const errors = pairs.flatMap((pair) => validateOrder(pair, name, field))
  if (ratio === undefined) return errors
  const ratioField = `${field}.maxLimitRequestRatio[${name}]`
  if (compareQuantities(ratio, '1') < 0) {
    errors.push(invalid(ratioField, goQuantity(ratio), `ratio ${ratio} is less than 1`))
  }
  if (min !== undefined && max !== undefined && milliValue(min) > 0) {
    const maxRatio = milliValue(max) / milliValue(min)
    if (milliValue(ratio) / 1000 > maxRatio) {
      const detail = `ratio ${ratio} is greater than max/min = ${maxRatio.toFixed(6)}`
      errors.push(invalid(ratioField, goQuantity(ratio), detail))
    }
  }
  return errors
}

const validateItem = (item: LimitRangeItem, field: string): FieldError[] => {
  const names = new Set(AMOUNT_FIELDS.flatMap((part) => Object.keys(item[part] ?? {})))
  const forPods = "may not be specified when `type` is 'Pod'"
  return [
    ...qualifiedNameProblems(item.type ?? '').map((problem) =>
      invalid(`${field}.type`, item.type ?? '', problem),
    ),
    ...AMOUNT_FIELDS.flatMap((part) =>
      Object.keys(item[part] ?? {}).flatMap((name) =>
        qualifiedNameProblems(name).map((problem) => invalid(`${field}.${part}[${name}]`, name, problem)),
      ),
    ),
    ...(item.type === 'Pod' && item.default !== undefined
      ? [forbiddenField(`${field}.default`, forPods)]
      : []),
    ...(item.type === 'Pod' && item.defaultRequest !== undefined
      ? [forbiddenField(`${field}.defaultRequest`, forPods)]
      : []),
    ...(item.type === 'PersistentVolumeClaim' && !item.min?.storage && !item.max?.storage
      ? [
          required(
            `${field}.limits`,
            'either minimum or maximum storage value is required, but neither was provided',
          ),
        ]
      : []),
    ...[...names].sort().flatMap((name) => validateRelations(item, name, field)),
  ]
}

export const limitRanges = defineKind<LimitRange>({
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  singular: 'limitrange',
  shortNames: ['limits'],
  namespaced: true,
  hasStatus: false,
  allowCreateOnUpdate: true,
  defaults: (draft) => {
    draft.spec ??= { limits: [] }
    for (const item of draft.spec.limits ?? []) defaultItem(item)
  },
  validate: ({ spec }) => {
    const types = new Set<string>()
    return (spec.limits ?? []).flatMap((item, index) => {
      const field = `spec.limits[${index}]`
      const repeated = types.has(item.type) ? [duplicate(`${field}.type`, item.type)] : []
      types.add(item.type)
      return [...repeated, ...validateItem(item, field)]
    })
  },
  ...plainTable,
})
