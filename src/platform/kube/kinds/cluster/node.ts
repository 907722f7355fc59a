/** The Node kind. */
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
} from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn, wideColumn } from '../standard-columns.ts'
import { validateCidr } from '../validation/network-values.ts'
import { nodeReadyCondition } from './node-condition.ts'

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

/** Keeps `podCIDR` equal to the first element of `podCIDRs`. */
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
  const ready = nodeReadyCondition(node)
  const readiness = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return node.spec.unschedulable === true ? `${readiness},SchedulingDisabled` : readiness
}

const rolesText = (labels: Readonly<Record<string, string>> = {}): string => {
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)]
    return key === 'kubernetes.io/role' ? [value] : []
  })
  const names = [...new Set(roles.filter((role) => role !== ''))].sort()
  return names.length === 0 ? '<none>' : names.join(',')
}

const addressText = (node: Stored<Node>, type: string): string =>
  node.status.addresses?.find((address) => address.type === type)?.address ?? '<none>'

const orUnknown = (text: string | undefined): string =>
  text === undefined || text === '' ? '<unknown>' : text

/** The description of both address columns. */
const ADDRESSES_DESCRIPTION =
  "List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit a Node's address in its own status or consumers of the downward API (status.hostIP)."

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
    textColumn('Status', 'The status of the node'),
    textColumn('Roles', 'The roles of the node'),
    ageColumn,
    textColumn('Version', 'Kubelet Version reported by the node.'),
    wideColumn('Internal-IP', ADDRESSES_DESCRIPTION),
    wideColumn('External-IP', ADDRESSES_DESCRIPTION),
    wideColumn(
      'OS-Image',
      'OS Image reported by the node from /etc/os-release (e.g. Debian GNU/Linux 7 (wheezy)).',
    ),
    wideColumn(
      'Kernel-Version',
      "Kernel Version reported by the node from 'uname -r' (e.g. 3.16.0-0.bpo.4-amd64).",
    ),
    wideColumn(
      'Container-Runtime',
      'ContainerRuntime Version reported by the node through runtime remote API (e.g. containerd://1.4.2).',
    ),
  ],
  row: (node, context) => [
    node.metadata.name,
    statusText(node),
    rolesText(node.metadata.labels),
    ageCell(node, context),
    node.status.nodeInfo?.kubeletVersion ?? '',
    addressText(node, 'InternalIP'),
    addressText(node, 'ExternalIP'),
    orUnknown(node.status.nodeInfo?.osImage),
    orUnknown(node.status.nodeInfo?.kernelVersion),
    orUnknown(node.status.nodeInfo?.containerRuntimeVersion),
  ],
  selectableFields: (node) => ({ 'spec.unschedulable': String(node.spec.unschedulable ?? false) }),
})
