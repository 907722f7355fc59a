/** The NetworkPolicy kind. */
import { BlockList, isIP } from 'node:net'
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from 'kubernetes-types/networking/v1.d.ts'
import {
  type FieldError,
  forbiddenField,
  goStrings,
  invalid,
  notSupported,
  required,
  selectorText,
} from '#platform/kube/meta'
import { defineKind } from '../define-kind.ts'
import { ageCell, ageColumn, nameColumn, textColumn } from '../standard-columns.ts'
import { validateLabelSelector } from '../validation/label-selector-validation.ts'
import { isCidr, validateCidr, validatePortOrName } from '../validation/network-values.ts'

const PROTOCOLS = ['TCP', 'UDP', 'SCTP']
const POLICY_TYPES = ['Egress', 'Ingress']

const validateEndPort = ({ port, endPort }: NetworkPolicyPort, field: string): FieldError[] => {
  if (endPort === undefined) return []
  if (port === undefined) {
    return [invalid(`${field}.endPort`, endPort, 'may not be specified when `port` is not specified')]
  }
  if (typeof port === 'string') {
    return [invalid(`${field}.endPort`, endPort, 'may not be specified when `port` is non-numeric')]
  }
  return endPort < port
    ? [invalid(`${field}.endPort`, endPort, 'must be greater than or equal to `port`')]
    : []
}

const validatePolicyPort = (port: NetworkPolicyPort, field: string): FieldError[] => [
  ...(PROTOCOLS.includes(port.protocol ?? '')
    ? []
    : [notSupported(`${field}.protocol`, port.protocol, PROTOCOLS)]),
  ...(port.port === undefined ? [] : validatePortOrName(port.port, `${field}.port`)),
  ...validateEndPort(port, field),
]

/** Whether the CIDR `inner` is a strict subset of `outer`. */
const isStrictSubset = (inner: string, outer: string): boolean => {
  const [address = '', bits] = inner.split('/')
  const [net = '', netBits] = outer.split('/')
  const family = isIP(net) === 4 ? 'ipv4' : 'ipv6'
  if (isIP(address) !== isIP(net) || Number(bits) <= Number(netBits)) return false
  const block = new BlockList()
  block.addSubnet(net, Number(netBits), family)
  return block.check(address, family)
}

const validateBlock = ({ cidr = '', except = [] }: IPBlock, field: string): FieldError[] => {
  if (cidr === '') return [required(`${field}.cidr`)]
  const malformed = validateCidr(cidr, `${field}.cidr`)
  if (malformed.length > 0) return malformed
  return except.flatMap((range, index) => {
    const path = `${field}.except[${index}]`
    if (!isCidr(range)) return validateCidr(range, path)
    return isStrictSubset(range, cidr) ? [] : [invalid(path, range, 'must be a strict subset of `cidr`')]
  })
}

const validatePeer = (peer: NetworkPolicyPeer, field: string): FieldError[] => {
  const { podSelector, namespaceSelector, ipBlock } = peer
  const specifiedCount = [podSelector, namespaceSelector, ipBlock].filter((part) => part !== undefined).length
  if (specifiedCount === 0) return [required(field, 'must specify a peer')]
  if (specifiedCount > 1 && ipBlock !== undefined) {
    return [forbiddenField(field, 'may not specify both ipBlock and another peer')]
  }
  return [
    ...validateLabelSelector(podSelector, `${field}.podSelector`),
    ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...(ipBlock === undefined ? [] : validateBlock(ipBlock, `${field}.ipBlock`)),
  ]
}

const validateRule = (
  ports: readonly NetworkPolicyPort[] | undefined,
  peers: readonly NetworkPolicyPeer[] | undefined,
  field: string,
  side: 'from' | 'to',
): FieldError[] => [
  ...(ports ?? []).flatMap((port, index) => validatePolicyPort(port, `${field}.ports[${index}]`)),
  ...(peers ?? []).flatMap((peer, index) => validatePeer(peer, `${field}.${side}[${index}]`)),
]

const validateTypes = (types: readonly string[]): FieldError[] =>
  types.length > 2
    ? [
        invalid(
          'spec.policyTypes',
          { go: goStrings(types).go.replace('string', 'networking.PolicyType') },
          'may not specify more than two policyTypes',
        ),
      ]
    : types.flatMap((type, index) =>
        POLICY_TYPES.includes(type) ? [] : [notSupported(`spec.policyTypes[${index}]`, type, POLICY_TYPES)],
      )

export const networkPolicies = defineKind<NetworkPolicy>({
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  singular: 'networkpolicy',
  shortNames: ['netpol'],
  namespaced: true,
  hasStatus: false,
  hasGeneration: true,
  defaults: (draft) => {
    draft.spec ??= { podSelector: {} }
    draft.spec.podSelector ??= {}
    const { ingress = [], egress = [] } = draft.spec
    for (const rule of [...ingress, ...egress]) {
      for (const port of rule.ports ?? []) port.protocol ??= 'TCP'
    }
    if ((draft.spec.policyTypes ?? []).length === 0) {
      draft.spec.policyTypes = egress.length === 0 ? ['Ingress'] : ['Ingress', 'Egress']
    }
  },
  validate: ({ spec }) => [
    ...validateLabelSelector(spec.podSelector, 'spec.podSelector'),
    ...(spec.ingress ?? []).flatMap(({ ports, from }, index) =>
      validateRule(ports, from, `spec.ingress[${index}]`, 'from'),
    ),
    ...(spec.egress ?? []).flatMap(({ ports, to }, index) =>
      validateRule(ports, to, `spec.egress[${index}]`, 'to'),
    ),
    ...validateTypes(spec.policyTypes ?? []),
  ],
  columns: [
    nameColumn,
    textColumn(
      'Pod-Selector',
      'Selects the pods to which this NetworkPolicy object applies.  The array of ingress rules is applied to any pods selected by this field. Multiple network policies can select the same set of pods.  In this case, the ingress rules for each are combined additively. This field is NOT optional and follows standard label selector semantics. An empty podSelector matches all pods in this namespace.',
    ),
    ageColumn,
  ],
  row: (policy, context) => [
    policy.metadata.name,
    selectorText(policy.spec.podSelector) || '<none>',
    ageCell(policy, context),
  ],
})
