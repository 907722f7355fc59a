/** The ResourceQuota kind. */
import type { ResourceQuota } from 'kubernetes-types/core/v1.d.ts'
import { deepEqual } from '#kit'
import {
  compareQuantities,
  type FieldError,
  goStrings,
  invalid,
  milliValue,
  qualifiedNameProblems,
  type Stored,
} from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'

const OBJECT_COUNTS = [
  'pods',
  'services',
  'services.loadbalancers',
  'services.nodeports',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
]
const COMPUTE_RESOURCES = ['cpu', 'memory', 'ephemeral-storage']
const STANDARD_RESOURCES = new Set([
  ...COMPUTE_RESOURCES,
  ...COMPUTE_RESOURCES.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
  ...OBJECT_COUNTS,
])
const SCOPES = [
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
]

const isStandard = (name: string): boolean =>
  STANDARD_RESOURCES.has(name) ||
  /^(requests\.)?hugepages-/.test(name) ||
  /\.storageclass\.storage\.k8s\.io\//.test(name)

const validateHard = (name: string, amount: string, field: string): FieldError[] => [
  ...qualifiedNameProblems(name).map((problem) => invalid(field, name, problem)),
  ...(name.includes('/') || isStandard(name)
    ? []
    : [invalid(field, name, 'must be a standard resource for quota')]),
  ...(compareQuantities(amount, '0') < 0
    ? [invalid(field, amount, 'must be greater than or equal to 0')]
    : []),
  ...(OBJECT_COUNTS.includes(name) && milliValue(amount) % 1000 !== 0
    ? [invalid(field, amount, 'must be an integer')]
    : []),
]

const goScopes = (scopes: readonly string[]): { go: string } => ({
  go: `[]core.ResourceQuotaScope${goStrings(scopes).go.slice('[]string'.length)}`,
})

const validateScopes = (scopes: readonly string[]): FieldError[] => [
  ...scopes
    .filter((scope) => !SCOPES.includes(scope))
    .map(() => invalid('spec.scopes', goScopes(scopes), 'unsupported scope')),
  ...([
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ].some((pair) => pair.every((scope) => scopes.includes(scope)))
    ? [invalid('spec.scopes', goScopes(scopes), 'conflicting scopes')]
    : []),
]

/** Formats used and hard amounts: `pods: 1/10, requests.cpu: 100m/2`. Limits have a separate column. */
const usageText = ({ status }: Stored<ResourceQuota>, limits: boolean): string =>
  Object.keys(status.hard ?? {})
    .sort()
    .filter((name) => name.startsWith('limits.') === limits)
    .map((name) => `${name}: ${status.used?.[name] ?? '0'}/${status.hard![name]}`)
    .join(', ')

export const resourceQuotas = defineKind<ResourceQuota>({
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  singular: 'resourcequota',
  shortNames: ['quota'],
  namespaced: true,
  hasStatus: true,
  returnsDeleted: true,
  defaults: (draft) => {
    draft.spec ??= {}
    draft.status ??= {}
  },
  prepareCreate: (draft) => {
    draft.status = {}
  },
  validate: ({ spec }, old) => [
    ...Object.entries(spec.hard ?? {}).flatMap(([name, amount]) =>
      validateHard(name, amount, `spec.hard[${name}]`),
    ),
    ...validateScopes(spec.scopes ?? []),
    ...(old !== undefined && !deepEqual([...(old.spec.scopes ?? [])].sort(), [...(spec.scopes ?? [])].sort())
      ? [invalid('spec.scopes', goStrings(spec.scopes), 'field is immutable')]
      : []),
  ],
  columns: [
    nameColumn,
    ageColumn,
    textColumn('Request', 'Request represents a minimum amount of cpu/memory that a container may consume.'),
    textColumn(
      'Limit',
      'Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.',
    ),
  ],
  row: (quota, context) => [
    quota.metadata.name,
    ageCell(quota, context),
    usageText(quota, false),
    usageText(quota, true),
  ],
})
