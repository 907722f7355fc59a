/** The namespace controller: deletes the content of a terminating namespace, then the namespace. */
import type { NamespaceCondition } from 'kubernetes-types/core/v1.d.ts'
import { type Kind, namespaces } from '#platform/kube/kinds'
import { isNotFound, type KubeObject, toCondition } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { type Controller, type ControllerContext, defineController, watching } from '../define-controller.ts'
import { watchEverything } from '../watch-everything.ts'

/** The finalizer of this controller in `spec.finalizers`; users may add others. */
const FINALIZER = 'kubernetes'

interface Remaining {
  kind: Kind
  objects: readonly KubeObject[]
}

const contentOf = (client: Client, namespace: string): Remaining[] =>
  client
    .kinds()
    .filter((kind) => kind.namespaced && (kind.verbs === undefined || kind.verbs.includes('delete')))
    .map((kind) => ({ kind, objects: client.list(kind, namespace) as readonly KubeObject[] }))
    .filter(({ objects }) => objects.length > 0)

const deleteContent = (client: Client, content: readonly Remaining[]): void => {
  for (const { kind, objects } of content) {
    for (const { metadata } of objects) {
      if (metadata.deletionTimestamp !== undefined) continue
      try {
        client.delete(kind, metadata.namespace ?? '', metadata.name, { propagation: 'Background' })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
  }
}

const finalizersIn = (content: readonly Remaining[]): string => {
  const counts = new Map<string, number>()
  for (const { objects } of content)
    for (const { metadata } of objects)
      for (const finalizer of metadata.finalizers ?? [])
        counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1)
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([finalizer, count]) => `${finalizer} in ${count} resource instances`)
    .join(', ')
}

/** Returns the conditions of a terminating namespace, as the real controller writes them. */
const conditionsFor = (
  content: readonly Remaining[],
  old: readonly NamespaceCondition[],
  now: number,
): NamespaceCondition[] => {
  const resources = content
    // The dot stays if the group is empty: `pods. has 1 resource instances`.
    .map(({ kind, objects }) => `${kind.plural}.${kind.group} has ${objects.length} resource instances`)
    .sort()
    .join(', ')
  const finalizers = finalizersIn(content)
  const rows: [type: string, status: string, reason: string, message: string][] = [
    [
      'NamespaceDeletionDiscoveryFailure',
      'False',
      'ResourcesDiscovered',
      'All resources successfully discovered',
    ],
    [
      'NamespaceDeletionGroupVersionParsingFailure',
      'False',
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ],
    [
      'NamespaceDeletionContentFailure',
      'False',
      'ContentDeleted',
      'All content successfully deleted, may be waiting on finalization',
    ],
    resources === ''
      ? ['NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed']
      : [
          'NamespaceContentRemaining',
          'True',
          'SomeResourcesRemain',
          `Some resources are remaining: ${resources}`,
        ],
    finalizers === ''
      ? [
          'NamespaceFinalizersRemaining',
          'False',
          'ContentHasNoFinalizers',
          'All content-preserving finalizers finished',
        ]
      : [
          'NamespaceFinalizersRemaining',
          'True',
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${finalizers}`,
        ],
  ]
  return rows.map(([type, status, reason, message]) =>
    toCondition(old, { type, status, reason, message }, now),
  )
}

const reconcile = (name: string, { client, clock }: ControllerContext): void => {
  const namespace = client.get(namespaces, '', name)
  if (namespace?.metadata.deletionTimestamp === undefined) return
  deleteContent(client, contentOf(client, name))
  const remaining = contentOf(client, name)
  if (remaining.length === 0) {
    const finalizers = (namespace.spec.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER)
    client.finalize({ ...namespace, spec: { ...namespace.spec, finalizers } })
    return
  }
  const conditions = conditionsFor(remaining, namespace.status.conditions ?? [], clock.now())
  client.updateStatus(namespaces, { ...namespace, status: { ...namespace.status, conditions } })
}

export const createNamespaceLifecycle = (): Controller =>
  defineController({
    name: 'namespace',
    watches: [
      watching(namespaces, ({ type, object }) =>
        type !== 'DELETED' && object.metadata.deletionTimestamp !== undefined ? [object.metadata.name] : [],
      ),
    ],
    start({ client, requeue }) {
      return watchEverything(client, (_kind, { type, object }) => {
        const { namespace } = (object as KubeObject).metadata
        if (type !== 'DELETED' || namespace === undefined) return
        if (client.get(namespaces, '', namespace)?.metadata.deletionTimestamp !== undefined)
          requeue(namespace, 0)
      })
    },
    reconcile,
  })
