/** A pod with precomputed data for scheduling. */
import type { Pod, PodAffinityTerm, WeightedPodAffinityTerm } from 'kubernetes-types/core/v1.d.ts'
import { podRequests } from '#platform/kube/kinds'
import { type Stored, toLabelMatcher } from '#platform/kube/meta'

/** CPU in millicores, all other resources in whole units. */
export type Amounts = Record<string, number>

export interface HostPort {
  ip: string
  protocol: string
  port: number
}

export interface AffinityTerm {
  topologyKey: string
  /** 0 for required terms. */
  weight: number
  matches(pod: Stored<Pod>): boolean
}

export interface PodInfo {
  readonly pod: Stored<Pod>
  readonly priority: number
  readonly requests: Amounts
  /** Requests for scoring, with a default for pods without requests. */
  readonly assumed: { cpu: number; memory: number }
  readonly ports: readonly HostPort[]
  readonly affinity: readonly AffinityTerm[]
  readonly antiAffinity: readonly AffinityTerm[]
  readonly preferredAffinity: readonly AffinityTerm[]
  readonly preferredAntiAffinity: readonly AffinityTerm[]
}

/** Returns the labels of a namespace, for terms with a namespace selector. */
export type NamespaceLabels = (name: string) => Readonly<Record<string, string>> | undefined

const ASSUMED_MILLICORES = 100
const ASSUMED_MEMORY_BYTES = 200 * 1024 * 1024
const NANO_PER_UNIT: Readonly<Record<string, bigint>> = { cpu: 1_000_000n }

const amountsOf = (pod: Stored<Pod>): Amounts => {
  const amounts: Amounts = {}
  for (const [name, { nano }] of Object.entries(podRequests(pod))) {
    const unit = NANO_PER_UNIT[name] ?? 1_000_000_000n
    amounts[name] = Number((nano + unit - 1n) / unit)
  }
  return amounts
}

const portsOf = (pod: Stored<Pod>): HostPort[] =>
  pod.spec.containers.flatMap(({ ports = [] }) =>
    ports
      .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
      .map(({ hostIP, protocol, hostPort }) => ({
        ip: hostIP === undefined || hostIP === '' ? '0.0.0.0' : hostIP,
        protocol: protocol ?? 'TCP',
        port: hostPort!,
      })),
  )

const termOf = (
  term: PodAffinityTerm,
  weight: number,
  owner: Stored<Pod>,
  labelsOf: NamespaceLabels,
): AffinityTerm => {
  const selects = toLabelMatcher(term.labelSelector)
  const namespaces = new Set(term.namespaces ?? [])
  const selectsNamespace =
    term.namespaceSelector === undefined ? undefined : toLabelMatcher(term.namespaceSelector)
  if (namespaces.size === 0 && selectsNamespace === undefined) namespaces.add(owner.metadata.namespace!)
  return {
    topologyKey: term.topologyKey,
    weight,
    matches({ metadata }) {
      const namespace = metadata.namespace!
      const isInNamespace = namespaces.has(namespace) || selectsNamespace?.(labelsOf(namespace)) === true
      return isInNamespace && selects(metadata.labels)
    },
  }
}

const NONE: readonly AffinityTerm[] = []

export const createPodInfo = (pod: Stored<Pod>, labelsOf: NamespaceLabels): PodInfo => {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  const toRequiredTerms = (terms: PodAffinityTerm[] | undefined): readonly AffinityTerm[] =>
    terms === undefined ? NONE : terms.map((term) => termOf(term, 0, pod, labelsOf))
  const toPreferredTerms = (terms: WeightedPodAffinityTerm[] | undefined): readonly AffinityTerm[] =>
    terms === undefined
      ? NONE
      : terms.map(({ weight, podAffinityTerm }) => termOf(podAffinityTerm, weight, pod, labelsOf))
  const requests = amountsOf(pod)
  return {
    pod,
    priority: pod.spec.priority ?? 0,
    requests,
    assumed: { cpu: requests.cpu || ASSUMED_MILLICORES, memory: requests.memory || ASSUMED_MEMORY_BYTES },
    ports: portsOf(pod),
    affinity: toRequiredTerms(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    antiAffinity: toRequiredTerms(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: toPreferredTerms(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: toPreferredTerms(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  }
}
