/** Label selectors, as policies and workloads use them. */
import type { KubeObject } from '#spec'

export type Labels = Readonly<Record<string, string>>
export type LabelSelector = NonNullable<
  NonNullable<NonNullable<KubeObject<'NetworkPolicy'>['spec']>['podSelector']>
>

const meetsExpression = (
  labels: Labels,
  { key, operator, values = [] }: NonNullable<LabelSelector['matchExpressions']>[number],
): boolean => {
  const value = labels[key]
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value)
    case 'NotIn':
      return value === undefined || !values.includes(value)
    case 'Exists':
      return value !== undefined
    default:
      return value === undefined
  }
}

/** An empty selector matches everything. */
export const matchesLabels = (
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Labels,
): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every((expression) => meetsExpression(labels, expression))
