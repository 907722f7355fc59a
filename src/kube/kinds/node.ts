/** Node. */
import type { Node, NodeSpec, Taint } from 'kubernetes-types/core/v1.d.ts'
import {
  duplicate,
  type FieldError,
  forbiddenField,
  goStrings,
  invalid,
  labelValueProblems,
  notSupported,
  qualifiedNameProblems,
  required,
  type Stored,
} from '../meta/index.ts'
import { defineKind } from './define-kind.ts'
import { validateCidr } from './network-values.ts'
import { ageCell, ageColumn, nameColumn, textColumn, wideColumn } from './standard-columns.ts'

const ROLE_PREFIX = 'node-role.kubernetes.io/'
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

const goTaint = ({ key, value = '', effect }: Taint): { go: string } => ({
  go: `core.Taint{Key:${JSON.stringify(key)}, Value:${JSON.stringify(value)}, Effect:${JSON.stringify(effect)}, TimeAdded:<nil>}`,
})

const validateTaints = (taints: readonly Taint[]): FieldError[] => {
  const seen = new Set<string>()
  return taints.flatMap((taint, index) => {
    const field = `spec.taints[${index}]`
    const { key, value = '', effect } = taint
    const errors = [
      ...qualifiedNameProblems(key ?? '').map((problem) => invalid(`${field}.key`, key ?? '', problem)),
      ...labelValueProblems(value).map((problem) => invalid(`${field}.value`, value, problem)),
    ]
    if (effect === undefined || effect === '') errors.push(required(`${field}.effect`))
    else if (!EFFECTS.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, EFFECTS))
    const identity = `${key}:${effect}`
    if (seen.has(identity)) {
      const repeated = duplicate(field, goTaint(taint))
      errors.push({
        ...repeated,
        message: `${repeated.message}: taints must be unique by key and effect pair`,
      })
    }
    seen.add(identity)
    return errors
  })
}

const validateChange = (node: Stored<Node>, old: Stored<Node>): FieldError[] => [
  ...((old.spec.podCIDRs ?? []).length > 0 && node.spec.podCIDRs?.join() !== old.spec.podCIDRs?.join()
    ? [forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')]
    : []),
  ...((old.spec.providerID ?? '') !== '' && node.spec.providerID !== old.spec.providerID
    ? [forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid')]
    : []),
]

/** Older clients know one range, newer ones a list of which it is the first. */
const mirrorPodCidr = (spec: NodeSpec): void => {
  const { podCIDR = '', podCIDRs = [] } = spec
  if (podCIDR !== '' && podCIDR !== podCIDRs[0]) spec.podCIDRs = [podCIDR]
  else if (podCIDR === '' && podCIDRs.length > 0) spec.podCIDR = podCIDRs[0]!
}

const validatePodCidrs = (ranges: readonly string[]): FieldError[] => {
  const errors = ranges.flatMap((range, index) => validateCidr(range, `spec.podCIDRs[${index}]`))
  if (ranges.length < 2) return errors
  const families = new Set(ranges.map((range) => range.includes(':')))
  if (families.size < 2 || ranges.length > 2) {
    const detail = 'may specify no more than one CIDR for each IP family'
    errors.push(invalid('spec.podCIDRs', goStrings(ranges), detail))
  }
  const repeated = ranges.flatMap((range, index) =>
    ranges.indexOf(range) < index ? [duplicate(`spec.podCIDRs[${index}]`, range)] : [],
  )
  return [...errors, ...repeated]
}

const statusText = (node: Stored<Node>): string => {
  const ready = node.status.conditions?.find(({ type }) => type === 'Ready')
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return node.spec.unschedulable === true ? `${word},SchedulingDisabled` : word
}

const rolesText = (labels: Readonly<Record<string, string>> = {}): string => {
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)]
    return key === 'kubernetes.io/role' ? [value] : []
  })
  const named = [...new Set(roles.filter((role) => role !== ''))].sort()
  return named.length === 0 ? '<none>' : named.join(',')
}

const addressText = (node: Stored<Node>, type: string): string =>
  node.status.addresses?.find((address) => address.type === type)?.address ?? '<none>'

const known = (text: string | undefined): string => (text === undefined || text === '' ? '<unknown>' : text)

export const nodes = defineKind<Node>({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  singular: 'node',
  shortNames: ['no'],
  namespaced: false,
  hasStatus: true,
  defaults: (draft) => {
    draft.spec ??= {}
    draft.status ??= {}
    mirrorPodCidr(draft.spec)
    const { capacity, allocatable } = draft.status
    if (capacity !== undefined && allocatable === undefined) {
      draft.status = { ...draft.status, allocatable: capacity }
    }
  },
  validate: (node, old) => [
    ...validateTaints(node.spec.taints ?? []),
    ...validatePodCidrs(node.spec.podCIDRs ?? []),
    ...(old === undefined ? [] : validateChange(node, old)),
  ],
  columns: [
    nameColumn,
    textColumn('Status', 'Whether the node is ready and takes new pods.'),
    textColumn('Roles', 'Roles that the labels of the node name.'),
    ageColumn,
    textColumn('Version', 'Version of the kubelet.'),
    wideColumn('Internal-IP', 'Address inside the cluster.'),
    wideColumn('External-IP', 'Address outside the cluster.'),
    wideColumn('OS-Image', 'Operating system.'),
    wideColumn('Kernel-Version', 'Version of the kernel.'),
    wideColumn('Container-Runtime', 'Runtime of the containers and its version.'),
  ],
  row: (node, context) => [
    node.metadata.name,
    statusText(node),
    rolesText(node.metadata.labels),
    ageCell(node, context),
    node.status.nodeInfo?.kubeletVersion ?? '',
    addressText(node, 'InternalIP'),
    addressText(node, 'ExternalIP'),
    known(node.status.nodeInfo?.osImage),
    known(node.status.nodeInfo?.kernelVersion),
    known(node.status.nodeInfo?.containerRuntimeVersion),
  ],
  selectableFields: (node) => ({ 'spec.unschedulable': String(node.spec.unschedulable ?? false) }),
})
