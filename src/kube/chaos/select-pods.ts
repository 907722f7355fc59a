/** The pods that a selector of Chaos Mesh finds. */
import type { Pod } from 'kubernetes-types/core/v1.d.ts'
import { nodes, pods } from '../kinds/index.ts'
import { hasLabels, matcherOf, meetsFields, type Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import type { PodSelector } from './chaos-object.ts'

const byName = (client: Client, names: NonNullable<PodSelector['pods']>): Stored<Pod>[] =>
  Object.entries(names).flatMap(([namespace, list]) =>
    list.flatMap((name) => {
      const pod = client.get(pods, namespace, name)
      return pod === undefined ? [] : [pod]
    }),
  )

/** Those named and those with the labels, together; nothing where the selector does not speak of nodes. */
const nodeNames = (client: Client, selector: PodSelector): ReadonlySet<string> | undefined => {
  const { nodes: named = [], nodeSelectors = {} } = selector
  const labelled = Object.keys(nodeSelectors).length > 0
  if (named.length === 0 && !labelled) return undefined
  const found = labelled
    ? client.list(nodes).filter(({ metadata }) => hasLabels(metadata.labels, nodeSelectors))
    : []
  return new Set([...named, ...found.map(({ metadata }) => metadata.name)])
}

const toFieldRequirements = (wanted: Readonly<Record<string, string>>) =>
  Object.entries(wanted).map(([field, value]) => ({ field, value, equal: true }))

const fieldsOf = (pod: Stored<Pod>): Readonly<Record<string, string>> => ({
  'metadata.name': pod.metadata.name,
  'metadata.namespace': pod.metadata.namespace ?? '',
  ...pods.selectableFields?.(pod),
})

/** Whether a pod is there to be harmed; one that has ended or is going is not, unless its phase is asked for. */
const isWanted = ({ metadata, status }: Stored<Pod>, phases: readonly string[]): boolean =>
  phases.length > 0
    ? phases.includes(status.phase ?? '')
    : status.phase === 'Running' && metadata.deletionTimestamp === undefined

/** Sorted by namespace and name. */
export const selectPods = (client: Client, selector: PodSelector, home: string): readonly Stored<Pod>[] => {
  if (selector.pods !== undefined && Object.keys(selector.pods).length > 0)
    return byName(client, selector.pods)
  const { namespaces = [], podPhaseSelectors = [], annotationSelectors = {} } = selector
  const matches = matcherOf({
    matchLabels: { ...selector.labelSelectors },
    matchExpressions: [...(selector.expressionSelectors ?? [])],
  })
  const hosts = nodeNames(client, selector)
  const fields = toFieldRequirements(selector.fieldSelectors ?? {})
  return [...new Set(namespaces.length === 0 ? [home] : namespaces)]
    .sort()
    .flatMap((namespace) => client.list(pods, namespace))
    .filter(
      (pod) =>
        isWanted(pod, podPhaseSelectors) &&
        matches(pod.metadata.labels) &&
        hasLabels(pod.metadata.annotations, annotationSelectors) &&
        (hosts === undefined || hosts.has(pod.spec.nodeName ?? '')) &&
        meetsFields(fields, fieldsOf(pod)),
    )
}
