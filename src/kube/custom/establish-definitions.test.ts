import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from 'kubernetes-types/apiextensions/v1.d.ts'
import { describe, expect, it } from 'vitest'
import { createVirtualClock, deepFreeze } from '../../kit/index.ts'
import { customResourceDefinitions, type Kind } from '../kinds/index.ts'
import type { KubeObject, Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
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

/** A store of objects by kind and name: all that the controller asks of a client. */
const world = (definitions: readonly Definition[]) => {
  const shelves = new Map<string, Map<string, KubeObject>>()
  const shelf = ({ id }: Kind): Map<string, KubeObject> => {
    if (!shelves.has(id)) shelves.set(id, new Map())
    return shelves.get(id)!
  }
  const put = (kind: Kind, object: KubeObject): KubeObject => {
    const { deletionTimestamp, finalizers = [], name } = object.metadata
    if (deletionTimestamp !== undefined && finalizers.length === 0) shelf(kind).delete(name)
    else shelf(kind).set(name, deepFreeze(object))
    return object
  }
  const client = {
    get: (kind: Kind, _: string, name: string) => shelf(kind).get(name),
    list: (kind: Kind) => [...shelf(kind).values()],
    update: put,
    updateStatus: put,
    delete: (kind: Kind, _: string, name: string) => shelf(kind).delete(name),
  } as unknown as Client
  for (const one of definitions) put(customResourceDefinitions, one as unknown as KubeObject)
  const requeued: string[] = []
  const clock = createVirtualClock(Date.parse('2026-01-01T00:00:05Z'))
  const context = { client, clock, requeue: (key: string) => requeued.push(key) }
  return {
    client,
    shelf,
    put,
    requeued,
    reconcile: (name: string) => establishDefinitions.reconcile(name, context),
    get: (name: string) => shelf(customResourceDefinitions).get(name) as Definition | undefined,
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
    const { reconcile, get } = world([definition(widgets)])
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

  it('refuses names that another definition of the group has', () => {
    const { reconcile, get } = world([
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

  it('deletes the objects before the definition goes', () => {
    const going = definition(widgets)
    going.metadata.deletionTimestamp = '2026-01-01T00:00:04Z'
    const { reconcile, get, shelf, put, requeued, client } = world([going])
    const kind = { id: 'example.com/widgets' } as Kind
    const object = (name: string, finalizers?: string[]): KubeObject => ({
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
    put(kind, object('free'))
    put(kind, object('held', ['example.com/hold']))
    reconcile('widgets.example.com')
    expect([...shelf(kind).keys()]).toEqual(['held'])
    expect(requeued).toEqual(['widgets.example.com'])
    expect(get('widgets.example.com')!.status.conditions).toMatchObject([
      { type: 'Terminating', status: 'True', reason: 'InstanceDeletionInProgress' },
    ])
    client.delete(kind, 'default', 'held')
    reconcile('widgets.example.com')
    expect(get('widgets.example.com')).toBeUndefined()
  })
})
