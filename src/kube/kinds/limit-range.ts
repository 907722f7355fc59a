/** LimitRange. */
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
} from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { goQuantity } from './go-value.ts'
import { plainTable } from './standard-columns.ts'

type Amounts = Record<string, string>

const AMOUNT_FIELDS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const

const fillIn = (amounts: Amounts | undefined, from: Amounts | undefined): Amounts => ({ ...from, ...amounts })

/** Limits default to the maximum, requests to the limits and then to the minimum. */
const defaultItem = (item: LimitRangeItem): void => {
  if (item.type !== 'Container') return
  const limits = fillIn(item.default, item.max)
  const requests = fillIn(fillIn(item.defaultRequest, limits), item.min)
  if (Object.keys(limits).length > 0) item.default = limits
  if (Object.keys(requests).length > 0) item.defaultRequest = requests
}

/** How the amounts of one resource must stand to each other. */
const validateRelations = (item: LimitRangeItem, name: string, field: string): FieldError[] => {
  const [min, max] = [item.min?.[name], item.max?.[name]]
  const [limit, request] = [item.default?.[name], item.defaultRequest?.[name]]
  const ratio = item.maxLimitRequestRatio?.[name]
  const errors: FieldError[] = []
  const order = (
    low: string | undefined,
    high: string | undefined,
    part: string,
    culprit: string | undefined,
    words: readonly [string, string],
  ): void => {
    if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) return
    const detail = `${words[0]} value ${low} is greater than ${words[1]} value ${high}`
    errors.push(invalid(`${field}.${part}[${name}]`, goQuantity(culprit ?? low), detail))
  }
  order(min, max, 'min', min, ['min', 'max'])
  order(min, request, 'defaultRequest', request, ['min', 'default request'])
  order(request, max, 'defaultRequest', request, ['default request', 'max'])
  order(request, limit, 'defaultRequest', request, ['default request', 'default limit'])
  order(min, limit, 'default', min, ['min', 'default'])
  order(limit, max, 'default', max, ['default', 'max'])
  if (ratio === undefined) return errors
  const ratioField = `${field}.maxLimitRequestRatio[${name}]`
  if (compareQuantities(ratio, '1') < 0) {
    errors.push(invalid(ratioField, goQuantity(ratio), `ratio ${ratio} is less than 1`))
  }
  if (min !== undefined && max !== undefined && milliValue(min) > 0) {
    const most = milliValue(max) / milliValue(min)
    if (milliValue(ratio) / 1000 > most) {
      const detail = `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`
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
  createOnUpdate: true,
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
