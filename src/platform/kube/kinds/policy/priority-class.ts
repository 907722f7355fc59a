/** The PriorityClass kind. */
import type { PriorityClass } from 'kubernetes-types/scheduling/v1.d.ts'
import { type FieldError, forbiddenField, invalid, notSupported, type Stored } from '#platform/kube/meta'
import { type Column, defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'

const MAX_USER_PRIORITY = 1_000_000_000
const POLICIES = ['PreemptLowerPriority', 'Never']
const SYSTEM_CLASSES: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
}

const systemProblem = ({ metadata: { name }, value, globalDefault }: Stored<PriorityClass>): string => {
  const requiredValue = SYSTEM_CLASSES[name]
  if (requiredValue === undefined) return `${name} is not a known system priority class`
  if (requiredValue !== value) return `value of ${name} PriorityClass must be ${requiredValue}`
  return globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : ''
}

const validatePriority = (priorityClass: Stored<PriorityClass>): FieldError[] => {
  if (priorityClass.metadata.name.startsWith('system-')) {
    const problem = systemProblem(priorityClass)
    return problem === ''
      ? []
      : [
          forbiddenField(
            'metadata.name',
            `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`,
          ),
        ]
  }
  return priorityClass.value > MAX_USER_PRIORITY
    ? [forbiddenField('value', `maximum allowed value of a user defined priority is ${MAX_USER_PRIORITY}`)]
    : []
}

const column = (name: string, type: Column['type'], description: string): Column => ({
  ...textColumn(name, description),
  type,
})

export const priorityClasses = defineKind<PriorityClass>({
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  plural: 'priorityclasses',
  singular: 'priorityclass',
  shortNames: ['pc'],
  namespaced: false,
  hasStatus: false,
  hasGeneration: true,
  defaults: (draft) => {
    draft.value ??= 0
    draft.preemptionPolicy ??= 'PreemptLowerPriority'
  },
  validate: (priorityClass, old) => [
    ...validatePriority(priorityClass),
    ...(POLICIES.includes(priorityClass.preemptionPolicy ?? '')
      ? []
      : [notSupported('preemptionPolicy', priorityClass.preemptionPolicy, POLICIES)]),
    ...(old !== undefined && old.value !== priorityClass.value
      ? [invalid('value', priorityClass.value, 'field is immutable')]
      : []),
    ...(old !== undefined && old.preemptionPolicy !== priorityClass.preemptionPolicy
      ? [invalid('preemptionPolicy', priorityClass.preemptionPolicy, 'field is immutable')]
      : []),
  ],
  columns: [
    nameColumn,
    column(
      'Value',
      'integer',
      'value represents the integer value of this priority class. This is the actual priority that pods receive when they have the name of this class in their pod spec.',
    ),
    column(
      'Global-Default',
      'boolean',
      'globalDefault specifies whether this PriorityClass should be considered as the default priority for pods that do not have any priority class. Only one PriorityClass can be marked as `globalDefault`. However, if more than one PriorityClasses exists with their `globalDefault` field set to true, the smallest value of such global default PriorityClasses will be used as the default priority.',
    ),
    ageColumn,
    textColumn(
      'PreemptionPolicy',
      'preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.',
    ),
  ],
  row: (priorityClass, context) => [
    priorityClass.metadata.name,
    priorityClass.value,
    priorityClass.globalDefault ?? false,
    ageCell(priorityClass, context),
    priorityClass.preemptionPolicy ?? '',
  ],
})
