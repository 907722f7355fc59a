/** What NetworkPolicies of a system let pass, judged from recorded objects. */
import type { ApiObject, ObjectsView, SystemView } from '../spec/index.ts'
import { podSpecOf, workloadIn } from './containers.ts'

type Labels = Readonly<Record<string, string>>

interface Selector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly {
    readonly key: string
    readonly operator: string
    readonly values?: readonly string[]
  }[]
}

interface Peer {
  readonly podSelector?: Selector
  readonly namespaceSelector?: Selector
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}

interface Rule {
  readonly from?: readonly Peer[]
  readonly to?: readonly Peer[]
  readonly ports?: readonly { readonly port?: number | string; readonly endPort?: number }[]
}

interface PolicySpec {
  readonly podSelector?: Selector
  readonly policyTypes?: readonly string[]
  readonly ingress?: readonly Rule[]
  readonly egress?: readonly Rule[]
}

type Direction = 'ingress' | 'egress'

/** One end of a call: where its pods live, their labels, and on which ports they listen. */
interface End {
  readonly namespace: string
  readonly labels: Labels
  readonly ports: readonly { readonly name?: string; readonly containerPort?: number }[]
}

const meets = (
  labels: Labels,
  { key, operator, values = [] }: NonNullable<Selector['matchExpressions']>[number],
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

const matches = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
  matchExpressions.every((expression) => meets(labels, expression))

const isEverywhere = ({ ipBlock }: Peer): boolean =>
  ipBlock?.cidr.endsWith('/0') === true && (ipBlock.except ?? []).length === 0

/** Which addresses pods have is not recorded: of blocks only the one of all addresses counts. */
const admits = (peer: Peer, end: End, home: string): boolean => {
  if (peer.ipBlock !== undefined) return isEverywhere(peer)
  const { podSelector = {}, namespaceSelector } = peer
  const isPlace =
    namespaceSelector === undefined
      ? end.namespace === home
      : matches(namespaceSelector, { 'kubernetes.io/metadata.name': end.namespace })
  return isPlace && matches(podSelector, end.labels)
}

const isPortOf = (to: End, { ports = [] }: Rule): boolean =>
  ports.length === 0 ||
  ports.some(({ port, endPort }) =>
    to.ports.some(({ name, containerPort = 0 }) =>
      typeof port === 'number'
        ? containerPort >= port && containerPort <= (endPort ?? port)
        : port === undefined || port === name,
    ),
  )

/** Without a word of it a policy is about what comes in, and about what leaves where it has rules for that. */
const isAbout = ({ policyTypes, egress }: PolicySpec, direction: Direction): boolean =>
  direction === 'ingress'
    ? (policyTypes?.includes('Ingress') ?? true)
    : (policyTypes?.includes('Egress') ?? egress !== undefined)

const endOf = (objects: ObjectsView, system: SystemView, service: string): End => {
  const { namespace } = system
  const workload = workloadIn(objects, system.workloadOf(service)) as ApiObject | undefined
  if (workload === undefined) return { namespace, labels: {}, ports: [] }
  const { template } = workload.spec as { template: { metadata?: { labels?: Labels } } }
  const ports = podSpecOf(workload).containers.flatMap(({ ports = [] }) => ports as End['ports'])
  return { namespace, labels: template.metadata?.labels ?? {}, ports }
}

/** Several policies over one pod add up: one that lets the call pass is enough. */
const passes = (objects: ObjectsView, direction: Direction, from: End, to: End): boolean => {
  const [own, other] = direction === 'ingress' ? [to, from] : [from, to]
  const over = objects
    .list('NetworkPolicy')
    // Older records have huge ones without their spec.
    .map(({ spec }) => (spec ?? {}) as PolicySpec)
    .filter((policy) => isAbout(policy, direction) && matches(policy.podSelector ?? {}, own.labels))
  const allows = (rule: Rule): boolean => {
    const peers = (direction === 'ingress' ? rule.from : rule.to) ?? []
    const isPeer = peers.length === 0 || peers.some((peer) => admits(peer, other, own.namespace))
    return isPeer && isPortOf(to, rule)
  }
  return over.length === 0 || over.some((policy) => (policy[direction] ?? []).some(allows))
}

/** Whether policies let pods of one service reach those of another, at both ends. */
export const mayReach = (objects: ObjectsView, system: SystemView, from: string, to: string): boolean => {
  const [caller, called] = [endOf(objects, system, from), endOf(objects, system, to)]
  return passes(objects, 'egress', caller, called) && passes(objects, 'ingress', caller, called)
}

const DNS: End = {
  namespace: 'kube-system',
  labels: { 'k8s-app': 'kube-dns' },
  ports: [{ containerPort: 53, name: 'dns' }],
}

/** Whether policies let pods of the service ask for names. */
export const mayAskNames = (objects: ObjectsView, system: SystemView, service: string): boolean =>
  passes(objects, 'egress', endOf(objects, system, service), DNS)
