/** Tests of the controller of CustomResourceDefinitions, with a fake client. */
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { createVirtualClock, deepFreeze } from '#kit'
import { customResourceDefinitions, type Kind } from '#platform/kube/kinds'
import type { KubeObject, Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import { establishDefinitions } from './establish-definitions.ts'

type Definition = Stored<CustomResourceDefinition>

const definition = (names: CustomResourceDefinitionNames): Definition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: {
    name: `${names.plural}.example.com`,
    uid: names.plural,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
  },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names,
    versions: [{ name: 'v1', served: true, storage: true }],
  },
  status: {},
})

/** Creates the context of the controller, with a fake client. */
const createFakeContext = (definitions: readonly Definition[]) => {
  const stores = new Map<string, Map<string, KubeObject>>()
  const objectsOf = ({ id }: Kind): Map<string, KubeObject> => {
    if (!stores.has(id)) stores.set(id, new Map())
    return stores.get(id)!
  }
  const store = (kind: Kind, object: KubeObject): KubeObject => {
    const { deletionTimestamp, finalizers = [], name } = object.metadata
    if (deletionTimestamp !== undefined && finalizers.length === 0) objectsOf(kind).delete(name)
    else objectsOf(kind).set(name, deepFreeze(object))
    return object
  }
  const client = {
    get: (kind: Kind, _: string, name: string) => objectsOf(kind).get(name),
    list: (kind: Kind) => [...objectsOf(kind).values()],
    update: store,
    updateStatus: store,
    delete: (kind: Kind, _: string, name: string) => objectsOf(kind).delete(name),
  } as unknown as Client
  for (const definition of definitions) store(customResourceDefinitions, definition as unknown as KubeObject)
  const requeued: string[] = []
  const clock = createVirtualClock(Date.parse('2026-01-01T00:00:05Z'))
  const context = { client, clock, requeue: (key: string) => requeued.push(key) }
  return {
    client,
    objectsOf,
    store,
    requeued,
    reconcile: (name: string) => establishDefinitions.reconcile(name, context),
    get: (name: string) => objectsOf(customResourceDefinitions).get(name) as Definition | undefined,
  }
}

const widgets = {
  plural: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  listKind: 'WidgetList',
  shortNames: ['w'],
}

describe('establishDefinitions', () => {
  it('accepts names and establishes the definition', () => {
    const { reconcile, get } = createFakeContext([definition(widgets)])
    reconcile('widgets.example.com')
    const { status } = get('widgets.example.com')!
    expect(status.acceptedNames).toEqual(widgets)
    const lastTransitionTime = '2026-01-01T00:00:05Z'
    expect(status.conditions).toEqual([
      {
        type: 'NamesAccepted',
        status: 'True',
        reason: 'NoConflicts',
        message: 'no conflicts found',
        lastTransitionTime,
      },
      {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
        lastTransitionTime,
      },
    ])
  })

  it('rejects names that another definition of the group uses', () => {
    const { reconcile, get } = createFakeContext([
      definition(widgets),
      definition({ plural: 'wheels', kind: 'Wheel', shortNames: ['w'] }),
    ])
    reconcile('widgets.example.com')
    reconcile('wheels.example.com')
    expect(get('wheels.example.com')!.status.conditions).toMatchObject([
      {
        type: 'NamesAccepted',
        status: 'False',
        reason: 'ShortNamesConflict',
        message: '"w" is already in use',
      },
      { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
    ])
  })

  it('deletes the instances before the definition', () => {
    const terminating = definition(widgets)
    terminating.metadata.deletionTimestamp = '2026-01-01T00:00:04Z'
    const { reconcile, get, objectsOf, store, requeued, client } = createFakeContext([terminating])
    const kind = { id: 'example.com/widgets' } as Kind
    const widget = (name: string, finalizers?: string[]): KubeObject => ({
      apiVersion: 'example.com/v1',
      kind: 'Widget',
      metadata: {
        name,
        namespace: 'default',
        uid: name,
        resourceVersion: '1',
        creationTimestamp: '',
        ...(finalizers === undefined ? {} : { finalizers, deletionTimestamp: 'x' }),
      },
    })
    store(kind, widget('free'))
    store(kind, widget('held', ['example.com/hold']))
    reconcile('widgets.example.com')
    expect([...objectsOf(kind).keys()]).toEqual(['held'])
    expect(requeued).toEqual(['widgets.example.com'])
    expect(get('widgets.example.com')!.status.conditions).toMatchObject([
      { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress' },
    ])
    client.delete(kind, 'default', 'held')
    reconcile('widgets.example.com')
    expect(get('widgets.example.com')).toBeUndefined()
  })
})
