/** Finds the pods that a Chaos Mesh selector matches. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { nodes, pods } from '#platform/kube/kinds'
import { hasLabels, matchesFields, type Stored, toLabelMatcher } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import type { PodSelector } from './chaos-object.ts'

const podsByName = (client: Client, names: NonNullable<PodSelector['pods']>): Stored<Pod>[] =>
  Object.entries(names).flatMap(([namespace, list]) =>
    list.flatMap((name) => {
      const pod = client.get(pods, namespace, name)
      return pod === undefined ? [] : [pod]
    }),
  )

/** Returns the union of the named and the labelled nodes, or undefined if the selector has no node conditions. */
const nodeNames = (client: Client, selector: PodSelector): ReadonlySet<string> | undefined => {
  const { nodes: named = [], nodeSelectors = {} } = selector
  const hasNodeSelectors = Object.keys(nodeSelectors).length > 0
  if (named.length === 0 && !hasNodeSelectors) return undefined
  const found = hasNodeSelectors
    ? client.list(nodes).filter(({ metadata }) => hasLabels(metadata.labels, nodeSelectors))
    : []
  return new Set([...named, ...found.map(({ metadata }) => metadata.name)])
}

const toFieldRequirements = (selectors: Readonly<Record<string, string>>) =>
  Object.entries(selectors).map(([field, value]) => ({ field, value, equal: true }))

const fieldsOf = (pod: Stored<Pod>): Readonly<Record<string, string>> => ({
  'metadata.name': pod.metadata.name,
  'metadata.namespace': pod.metadata.namespace ?? '',
  ...pods.selectableFields?.(pod),
})

/** Only running pods that are not terminating are eligible, unless the selector names phases. */
const isEligible = ({ metadata, status }: Stored<Pod>, phases: readonly string[]): boolean =>
  phases.length > 0
    ? phases.includes(status.phase ?? '')
    : status.phase === 'Running' && metadata.deletionTimestamp === undefined

/**
 * Returns the pods sorted by namespace and name, or in the given order if the selector names them. `defaultNamespace`
 * applies if the selector has no namespaces.
 */
export const selectPods = (
  client: Client,
  selector: PodSelector,
  defaultNamespace: string,
): readonly Stored<Pod>[] => {
  if (selector.pods !== undefined && Object.keys(selector.pods).length > 0)
    return podsByName(client, selector.pods)
  const { namespaces = [], podPhaseSelectors = [], annotationSelectors = {} } = selector
  const matches = toLabelMatcher({
    matchLabels: { ...selector.labelSelectors },
    matchExpressions: [...(selector.expressionSelectors ?? [])],
  })
  const allowedNodes = nodeNames(client, selector)
  const fields = toFieldRequirements(selector.fieldSelectors ?? {})
  return [...new Set(namespaces.length === 0 ? [defaultNamespace] : namespaces)]
    .sort()
    .flatMap((namespace) => client.list(pods, namespace))
    .filter(
      (pod) =>
        isEligible(pod, podPhaseSelectors) &&
        matches(pod.metadata.labels) &&
        hasLabels(pod.metadata.annotations, annotationSelectors) &&
        (allowedNodes === undefined || allowedNodes.has(pod.spec.nodeName ?? '')) &&
        matchesFields(fields, fieldsOf(pod)),
    )
}
