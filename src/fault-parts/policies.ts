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

interface PolicySpec {
  readonly podSelector?: Selector
  readonly policyTypes?: readonly string[]
  readonly ingress?: readonly {
    readonly from?: readonly Peer[]
    readonly ports?: readonly { readonly port?: number | string; readonly endPort?: number }[]
  }[]
}

/** One end of a call: the labels of the pods, and on which ports they listen. */
interface End {
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
const admits = (peer: Peer, from: End, namespace: string): boolean => {
  if (peer.ipBlock !== undefined) return isEverywhere(peer)
  const home = { 'kubernetes.io/metadata.name': namespace }
  return matches(peer.podSelector ?? {}, from.labels) && matches(peer.namespaceSelector ?? {}, home)
}

const isAllowedBy = ({ ingress = [] }: PolicySpec, from: End, to: End, namespace: string): boolean =>
  ingress.some(({ from: peers = [], ports = [] }) => {
    const isPeer = peers.length === 0 || peers.some((peer) => admits(peer, from, namespace))
    const isPort =
      ports.length === 0 ||
      ports.some(({ port, endPort }) =>
        to.ports.some(({ name, containerPort = 0 }) =>
          typeof port === 'number'
            ? containerPort >= port && containerPort <= (endPort ?? port)
            : port === undefined || port === name,
        ),
      )
    return isPeer && isPort
  })

const endOf = (objects: ObjectsView, system: SystemView, service: string): End => {
  const workload = workloadIn(objects, system.workloadOf(service)) as ApiObject | undefined
  if (workload === undefined) return { labels: {}, ports: [] }
  const { template } = workload.spec as { template: { metadata?: { labels?: Labels } } }
  const ports = podSpecOf(workload).containers.flatMap(({ ports = [] }) => ports as End['ports'])
  return { labels: template.metadata?.labels ?? {}, ports }
}

/** Whether policies let pods of one service reach those of another; several policies over one pod add up. */
export const mayReach = (objects: ObjectsView, system: SystemView, from: string, to: string): boolean => {
  const [caller, called] = [endOf(objects, system, from), endOf(objects, system, to)]
  const over = objects
    .list('NetworkPolicy')
    .map(({ spec }) => spec as PolicySpec)
    .filter(({ podSelector = {}, policyTypes = ['Ingress'] }) => {
      return policyTypes.includes('Ingress') && matches(podSelector, called.labels)
    })
  return over.length === 0 || over.some((policy) => isAllowedBy(policy, caller, called, system.namespace))
}
