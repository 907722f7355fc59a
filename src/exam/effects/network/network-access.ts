/** Evaluates which calls the NetworkPolicies among recorded objects allow, as a cluster does. */
import { defined } from '#kit'
import {
  containersOf,
  type KubeObject,
  labelsOf,
  type ObjectsView,
  podTemplateOf,
  type SystemView,
  viewAs,
} from '#spec'
import { type AddressRange, ALL_ADDRESSES, blockRanges, coverageOf, parseRange } from './address-ranges.ts'
import { type Labels, matchesLabels } from './label-selector.ts'

/** Partial, because recorded policies may lack fields. */
type PolicySpec = Partial<NonNullable<KubeObject<'NetworkPolicy'>['spec']>>
type IngressRule = NonNullable<PolicySpec['ingress']>[number]
type EgressRule = NonNullable<PolicySpec['egress']>[number]
type Peer = NonNullable<IngressRule['from']>[number]
type RulePort = NonNullable<IngressRule['ports']>[number]

interface Rule {
  readonly peers: readonly Peer[]
  readonly ports: readonly RulePort[]
}

type Direction = 'Ingress' | 'Egress'

interface Port {
  readonly name?: string
  readonly number: number
  readonly protocol: string
}

/** One end of a call: the current and future pods of a service. */
interface End {
  readonly namespace: string
  readonly namespaceLabels: Labels
  readonly labels: Labels
  readonly ports: readonly Port[]
  /** The addresses that its pods can have. */
  readonly addresses: readonly AddressRange[]
}

/**
 * `all`: calls are allowed between all addresses that pods of the two services can have. `some`: only between some addresses, so
 * that the next pod might be denied.
 */
export type Access = 'all' | 'some' | 'none'

const CONTROL_PLANE_TAINT = 'node-role.kubernetes.io/control-plane'

/** The ranges of pod addresses of all nodes that run services; all addresses if the nodes report none. */
const podAddresses = (objects: ObjectsView): readonly AddressRange[] => {
  const ranges = objects.list('Node').flatMap((node) => {
    const { podCIDR = '', taints = [] } = viewAs('Node', node).spec ?? {}
    const range = parseRange(podCIDR)
    const isReserved = taints.some(({ key }) => key === CONTROL_PLANE_TAINT)
    return range === undefined || isReserved ? [] : [range]
  })
  return ranges.length === 0 ? [ALL_ADDRESSES] : ranges
}

/** Ports that containers declare, and ports to which Services send. */
const portsOf = (objects: ObjectsView, declared: readonly Port[], labels: Labels): readonly Port[] => {
  const targets = objects
    .list('Service')
    .map((service) => viewAs('Service', service).spec)
    .filter((spec) => {
      const selector = Object.entries(spec?.selector ?? {})
      return selector.length > 0 && selector.every(([name, value]) => labels[name] === value)
    })
    .flatMap((spec) => spec?.ports ?? [])
    .flatMap(({ port, targetPort = port, protocol = 'TCP' }) =>
      typeof targetPort === 'number' ? [{ number: targetPort, protocol }] : [],
    )
  return [...declared, ...targets]
}

/** The API server sets the label with the name. Older records contain no namespaces. */
const labelsOfNamespace = (objects: ObjectsView, name: string): Labels => {
  const namespace = objects.get('Namespace', name)
  return { ...(namespace && labelsOf(namespace)), 'kubernetes.io/metadata.name': name }
}

const toEnd = (objects: ObjectsView, system: SystemView, service: string): End => {
  const { namespace } = system
  const namespaceLabels = labelsOfNamespace(objects, namespace)
  const { kind, name } = system.workloadOf(service)
  const workload = objects.get(kind, name)
  const addresses = podAddresses(objects)
  if (workload === undefined) return { namespace, namespaceLabels, labels: {}, ports: [], addresses }
  const labels = podTemplateOf(workload)?.metadata?.labels ?? {}
  const declared = containersOf(workload)
    .flatMap((container) => container.ports ?? [])
    .map(({ name: portName, containerPort = 0, protocol = 'TCP' }) => ({
      number: containerPort,
      protocol,
      ...defined({ name: portName }),
    }))
  return { namespace, namespaceLabels, labels, ports: portsOf(objects, declared, labels), addresses }
}

/** A workload that does not exist yet: no policy names its labels or its port. */
const UNKNOWN_NAME = 'another-workload'
const UNKNOWN_PORT: Port = { number: 40_000, protocol: 'TCP' }

/** New pods in the namespace of the system: one without labels, and one with other values of the labels that workloads use. */
const newPods = (objects: ObjectsView, system: SystemView): readonly End[] => {
  const { namespace } = system
  const keys = system.workloads.flatMap(({ manifest }) =>
    Object.keys(podTemplateOf(manifest)?.metadata?.labels ?? {}),
  )
  const common = {
    namespace,
    namespaceLabels: labelsOfNamespace(objects, namespace),
    ports: [UNKNOWN_PORT],
    addresses: podAddresses(objects),
  }
  return [{}, Object.fromEntries(keys.map((key) => [key, UNKNOWN_NAME]))].map((labels) => ({
    ...common,
    labels,
  }))
}

const matchesPort = ({ port, endPort, protocol = 'TCP' }: RulePort, actual: Port): boolean => {
  if (protocol !== actual.protocol) return false
  if (port === undefined) return true
  return typeof port === 'number'
    ? actual.number >= port && actual.number <= (endPort ?? port)
    : port === actual.name
}

const selectsEnd = (
  { ipBlock, podSelector = {}, namespaceSelector }: Peer,
  end: End,
  policyNamespace: string,
): boolean => {
  if (ipBlock !== undefined) return false
  const isInNamespace =
    namespaceSelector === undefined
      ? end.namespace === policyNamespace
      : matchesLabels(namespaceSelector, end.namespaceLabels)
  return isInNamespace && matchesLabels(podSelector, end.labels)
}

/** The access that the rules grant together: allowed calls are the union of all policies, rules and peers. */
const accessByRules = (rules: readonly Rule[], end: End, policyNamespace: string): Access => {
  const isSelected = rules.some(
    ({ peers }) => peers.length === 0 || peers.some((peer) => selectsEnd(peer, end, policyNamespace)),
  )
  if (isSelected) return 'all'
  const blocks = rules.flatMap(({ peers }) => peers.flatMap(({ ipBlock }) => ipBlock ?? []))
  return coverageOf(
    blocks.flatMap(({ cidr, except }) => blockRanges(cidr, except)),
    end.addresses,
  )
}

/** By default a policy applies to ingress, and to egress if it has egress rules. */
const appliesTo = ({ policyTypes, egress }: PolicySpec, direction: Direction): boolean =>
  policyTypes?.includes(direction) ?? (direction === 'Ingress' || egress !== undefined)

const rulesOf = ({ ingress = [], egress = [] }: PolicySpec, direction: Direction): readonly Rule[] =>
  direction === 'Ingress'
    ? ingress.map(({ from = [], ports = [] }: IngressRule) => ({ peers: from, ports }))
    : egress.map(({ to = [], ports = [] }: EgressRule) => ({ peers: to, ports }))

const ACCESS_ORDER: readonly Access[] = ['none', 'some', 'all']

const accessInDirection = (objects: ObjectsView, direction: Direction, from: End, to: End): Access => {
  const [selected, peer] = direction === 'Ingress' ? [to, from] : [from, to]
  const policies = objects
    .list('NetworkPolicy')
    // In older records, very large objects have no spec.
    .map((policy): PolicySpec => viewAs('NetworkPolicy', policy).spec ?? {})
    .filter(
      (policy) => appliesTo(policy, direction) && matchesLabels(policy.podSelector ?? {}, selected.labels),
    )
  if (policies.length === 0) return 'all'
  const rules = policies.flatMap((policy) => rulesOf(policy, direction))
  const onAnyPort = rules.filter(({ ports }) => ports.length === 0)
  // One open port is enough: journeys fail if it is the wrong one.
  const byPort = to.ports.map((port) =>
    accessByRules(
      rules.filter((rule) => rule.ports.length === 0 || rule.ports.some((open) => matchesPort(open, port))),
      peer,
      selected.namespace,
    ),
  )
  return [accessByRules(onAnyPort, peer, selected.namespace), ...byPort].reduce((best, access) =>
    ACCESS_ORDER.indexOf(access) > ACCESS_ORDER.indexOf(best) ? access : best,
  )
}

const accessBetween = (objects: ObjectsView, from: End, to: End): Access => {
  const both = [
    accessInDirection(objects, 'Egress', from, to),
    accessInDirection(objects, 'Ingress', from, to),
  ]
  return ACCESS_ORDER.find((access) => both.includes(access)) ?? 'all'
}

/** The access that policies grant to calls from one service to another, at both ends. */
export const accessTo = (objects: ObjectsView, system: SystemView, from: string, to: string): Access =>
  accessBetween(objects, toEnd(objects, system, from), toEnd(objects, system, to))

/** The address at which a cluster serves DNS by convention. */
const DNS_ADDRESS: AddressRange = parseRange('10.96.0.10/32')!

const DNS_NAMESPACE = 'kube-system'

const toDnsEnd = (objects: ObjectsView): End => ({
  namespace: DNS_NAMESPACE,
  namespaceLabels: labelsOfNamespace(objects, DNS_NAMESPACE),
  labels: { 'k8s-app': 'kube-dns' },
  // Resolvers use TCP only for long answers.
  ports: [{ name: 'dns', number: 53, protocol: 'UDP' }],
  addresses: [DNS_ADDRESS],
})

/** The access that policies grant to DNS queries of a service. */
export const accessToDns = (objects: ObjectsView, system: SystemView, service: string): Access =>
  accessInDirection(objects, 'Egress', toEnd(objects, system, service), toDnsEnd(objects))

/** The name under which `isOpen` knows pods that belong to no present workload. */
export const NEW_WORKLOADS = 'new workloads'

/**
 * Whether the pods of a service, or of new workloads, can call and be called by new pods of this and other namespaces: whether no
 * policy restricts them to certain calls. Calls from outside the cluster are not considered.
 */
export const isOpen = (objects: ObjectsView, system: SystemView, service: string): boolean => {
  const strangers = newPods(objects, system)
  const peers = [
    ...strangers,
    ...strangers.map((peer) => ({
      ...peer,
      namespace: UNKNOWN_NAME,
      namespaceLabels: labelsOfNamespace(objects, UNKNOWN_NAME),
    })),
  ]
  const ends =
    service === NEW_WORKLOADS ? strangers : [{ ...toEnd(objects, system, service), ports: [UNKNOWN_PORT] }]
  return ends.every((end) =>
    peers.every(
      (peer) =>
        accessInDirection(objects, 'Ingress', peer, end) === 'all' &&
        accessInDirection(objects, 'Egress', end, peer) === 'all',
    ),
  )
}
