/** Label selectors in the object form of specs, and what it means to meet them. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'

export type Labels = Readonly<Record<string, string>> | undefined
export type LabelMatcher = (labels: Labels) => boolean

type Operator = 'Equals' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'

export interface LabelRequirement {
  key: string
  operator: Operator
  values: readonly string[]
}

/** NaN, which is neither more nor less than anything, for what is no whole number. */
const wholeNumber = (text: string | undefined): number =>
  text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN

/** Whether labels meet one requirement; node affinity uses `Gt` and `Lt` too. */
export const meetsRequirement = (labels: Labels, { key, operator, values }: LabelRequirement): boolean => {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined
  switch (operator) {
    case 'Equals':
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    case 'DoesNotExist':
      return value === undefined
    case 'Gt':
      return wholeNumber(value) > wholeNumber(values[0])
    case 'Lt':
      return wholeNumber(value) < wholeNumber(values[0])
  }
}

/** Whether labels meet all of them. */
export const meetsAll =
  (requirements: readonly LabelRequirement[]): LabelMatcher =>
  (labels) =>
    requirements.every((requirement) => meetsRequirement(labels, requirement))

const requirementsOf = (selector: LabelSelector): LabelRequirement[] => [
  ...Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): LabelRequirement => ({ key, operator: 'Equals', values: [value] }),
  ),
  ...(selector.matchExpressions ?? []).map(
    ({ key, operator, values }): LabelRequirement => ({
      key,
      operator: operator as Operator,
      values: values ?? [],
    }),
  ),
]

/** An absent selector matches nothing, an empty one everything. */
export const matcherOf = (selector: LabelSelector | undefined): LabelMatcher =>
  selector === undefined ? () => false : meetsAll(requirementsOf(selector))

/** The text form that `scale` and `kubectl` show: `app=web,tier in (a,b)`. */
export const selectorText = (selector: LabelSelector | undefined): string =>
  selector === undefined
    ? ''
    : requirementsOf(selector)
        .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
        .map(({ key, operator, values }) => {
          const list = [...values].sort().join(',')
          if (operator === 'Exists') return key
          if (operator === 'DoesNotExist') return `!${key}`
          if (operator === 'Equals') return `${key}=${list}`
          if (operator === 'In') return `${key} in (${list})`
          return `${key} notin (${list})`
        })
        .join(',')

/** Whether every pair of `wanted` is in `labels`: the selectors of Services. */
export const hasLabels = (labels: Labels, wanted: Readonly<Record<string, string>>): boolean =>
  Object.entries(wanted).every(
    ([key, value]) => labels !== undefined && Object.hasOwn(labels, key) && labels[key] === value,
  )
