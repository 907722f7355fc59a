/** Matches and formats label selectors in the object form that specs use. */
import type { LabelSelector } from 'kubernetes-types/meta/v1.d.ts'

export type Labels = Readonly<Record<string, string>> | undefined
export type LabelMatcher = (labels: Labels) => boolean

type Operator = 'Equals' | 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt'

export interface LabelRequirement {
  key: string
  operator: Operator
  values: readonly string[]
}

/** Returns NaN for text that is not an integer, so that every comparison is false. */
const wholeNumber = (text: string | undefined): number =>
  text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN

/** Whether labels match one requirement. Specs use `Gt` and `Lt` only in node affinity. */
export const matchesRequirement = (labels: Labels, { key, operator, values }: LabelRequirement): boolean => {
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

/** Returns a matcher for labels that match every requirement. */
export const toMatcher =
  (requirements: readonly LabelRequirement[]): LabelMatcher =>
  (labels) =>
    requirements.every((requirement) => matchesRequirement(labels, requirement))

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

/** Converts a selector. Undefined matches nothing; an empty selector matches everything. */
export const toLabelMatcher = (selector: LabelSelector | undefined): LabelMatcher =>
  selector === undefined ? () => false : toMatcher(requirementsOf(selector))

/** Formats a selector as text: `app=web,tier in (a,b)`. */
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

/** Whether `labels` contains every pair of `required`, such as the selector of a Service. */
export const hasLabels = (labels: Labels, required: Readonly<Record<string, string>>): boolean =>
  Object.entries(required).every(
    ([key, value]) => labels !== undefined && Object.hasOwn(labels, key) && labels[key] === value,
  )
