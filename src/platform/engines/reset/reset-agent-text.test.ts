/** Tests that a reset removes everything that an agent wrote or changed from all objects and their history. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Kind, KubeObject } from '#platform/kube/simulated'
import type { ResetReport } from '#spec'
import { writersOf } from './object-content.ts'
import { createSimulatedReset, labels, NAMESPACE, template, workloadSpec } from './testing/simulated-reset.ts'

const MARKER = 'note-to-myself'

let simulation: ReturnType<typeof createSimulatedReset>
let reset: () => Promise<ResetReport>
/** A client whose field manager is the marker. */
let agent: ReturnType<ReturnType<typeof createSimulatedReset>['cluster']['resources']['clientFor']>

beforeEach(() => {
  simulation = createSimulatedReset()
  const { create, cluster } = simulation
  create('v1', 'ConfigMap', { metadata: { name: 'settings' }, data: { colour: 'green' } })
  create('v1', 'Secret', { metadata: { name: 'password' }, data: { key: 'YQ==' } })
  create('apps/v1', 'StatefulSet', {
    metadata: { name: 'keeper' },
    spec: { ...workloadSpec('keeper'), serviceName: 'keeper' },
  })
  create('networking.k8s.io/v1', 'NetworkPolicy', { metadata: { name: 'open' }, spec: { podSelector: {} } })
  reset = simulation.takeBaseline((error) => expect.unreachable(error.message), ['idle'])
  agent = cluster.resources.clientFor({ username: 'agent', groups: ['system:masters'] }, MARKER)
})
afterEach(() => simulation.cluster.stop())

const listAll = (): { kind: Kind; object: KubeObject }[] =>
  simulation.client
    .kinds()
    .flatMap((kind) =>
      (simulation.client.list(kind) as readonly KubeObject[]).map((object) => ({ kind, object })),
    )
const titleOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.namespace}/${metadata.name}`
const findMarked = (): string[] =>
  listAll()
    .filter(({ object }) => JSON.stringify(object).includes(MARKER))
    .map(({ object }) => titleOf(object))
    .sort()
const get = (apiVersion: string, kind: string, name: string): KubeObject =>
  simulation.client.get(simulation.kindOf(apiVersion, kind), NAMESPACE, name) as KubeObject
const update = (object: KubeObject): KubeObject =>
  agent.update(
    simulation.kindOf(object.apiVersion, object.kind),
    structuredClone(object) as never,
  ) as KubeObject
const settle = (): void => simulation.clock.advance(30_000)

const withMetadata = (object: KubeObject, change: object): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, ...change },
})

/** Marks the object in a part of its metadata; does nothing if the server rejects the update. */
const markPart = ({ kind, object }: { kind: Kind; object: KubeObject }, change: object): void => {
  const { namespace = '', name } = object.metadata
  const current = simulation.client.get(kind, namespace, name) as KubeObject | undefined
  if (current === undefined) return
  try {
    agent.update(kind, structuredClone(withMetadata(current, change)) as never)
  } catch {
    // Some kinds are immutable.
  }
}

describe('a reset removes', () => {
  it.each([
    ['labels', (object: KubeObject) => ({ labels: { ...object.metadata.labels, [MARKER]: MARKER } })],
    [
      'annotations',
      ({ metadata }: KubeObject) => ({
        annotations: {
          ...metadata.annotations,
          [MARKER]: MARKER,
          [`pv.kubernetes.io/${MARKER}`]: MARKER,
          'node.alpha.kubernetes.io/ttl': MARKER,
        },
      }),
    ],
    ['finalizers', () => ({ finalizers: [`example.com/${MARKER}`] })],
    ['owners', () => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: MARKER, uid: MARKER }] })],
  ])('%s of all objects of all kinds', async (_, change) => {
    const all = listAll()
    const kinds = new Set(all.map(({ kind }) => kind.id))
    for (const kind of ['apps/replicasets', 'apps/controllerrevisions', 'endpoints', 'nodes', 'pods'])
      expect(kinds).toContain(kind)
    for (const entry of all) markPart(entry, change(entry.object))
    expect(findMarked().length).toBeGreaterThan(20)
    settle()
    await reset()
    settle()
    expect(findMarked()).toEqual([])
  })

  it('annotations that a controller copied from a Deployment to its ReplicaSet', async () => {
    const pods = simulation.list('v1', 'Pod').map(({ metadata }) => metadata.uid)
    const idle = get('apps/v1', 'Deployment', 'idle')
    update(withMetadata(idle, { annotations: { ...idle.metadata.annotations, [MARKER]: 'x' } }))
    settle()
    expect(findMarked()).toContainEqual(expect.stringMatching(/^ReplicaSet/))
    await reset()
    expect(findMarked()).toEqual([])
    // No pod was restarted.
    expect(simulation.list('v1', 'Pod').map(({ metadata }) => metadata.uid)).toEqual(pods)
  })

  it.each(['Deployment', 'StatefulSet', 'DaemonSet'])(
    'the revisions of a %s that was changed and reverted',
    async (kind) => {
      const name = { Deployment: 'idle', StatefulSet: 'keeper', DaemonSet: 'watcher' }[kind]!
      const original = get('apps/v1', kind, name)
      const marked = { ...original.spec.template.metadata, annotations: { [MARKER]: MARKER } }
      update({
        ...original,
        spec: { ...original.spec, template: { ...original.spec.template, metadata: marked } },
      })
      settle()
      update({ ...get('apps/v1', kind, name), spec: original.spec })
      settle()
      expect(findMarked().length).toBeGreaterThan(0)
      await reset()
      settle()
      expect(findMarked()).toEqual([])
    },
  )

  it('the number of changes, which the generation counts, and the field managers', async () => {
    const changesOf = (object: KubeObject): unknown => [
      object.metadata.generation,
      writersOf(object).map(({ time: _, ...writer }) => writer),
    ]
    const listChanges = () =>
      new Map(
        listAll()
          .filter(({ kind }) => ['apps/deployments', 'networking.k8s.io/networkpolicies'].includes(kind.id))
          .map(({ object }) => [titleOf(object), changesOf(object)]),
      )
    const before = listChanges()
    const idle = get('apps/v1', 'Deployment', 'idle')
    for (let replicas = 7; replicas > 0; replicas -= 1)
      update({ ...get('apps/v1', 'Deployment', 'idle'), spec: { ...idle.spec, replicas } })
    const open = get('networking.k8s.io/v1', 'NetworkPolicy', 'open')
    update({ ...open, spec: { ...open.spec, policyTypes: ['Egress'] } })
    settle()
    expect(listChanges()).not.toEqual(before)
    await reset()
    settle()
    expect(listChanges()).toEqual(before)
    const { metadata, status } = get('apps/v1', 'Deployment', 'idle')
    expect(status.observedGeneration).toBe(metadata.generation)
  })

  it('new objects of all kinds, including custom and forged ones', async () => {
    const { create } = simulation
    const idle = get('apps/v1', 'Deployment', 'idle')
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'idle', uid: idle.metadata.uid }
    create('v1', 'ConfigMap', { metadata: { name: MARKER }, data: { [MARKER]: MARKER } })
    create('v1', 'Secret', { metadata: { name: MARKER } })
    create('coordination.k8s.io/v1', 'Lease', {
      metadata: { name: MARKER },
      spec: { holderIdentity: MARKER },
    })
    create('v1', 'Event', {
      metadata: { name: MARKER },
      involvedObject: { kind: 'Pod', name: MARKER, namespace: NAMESPACE },
      message: MARKER,
      reason: 'Note',
      type: 'Normal',
    })
    create('apps/v1', 'ReplicaSet', {
      metadata: {
        name: `idle-${MARKER}`,
        labels,
        annotations: { 'deployment.kubernetes.io/revision': '9' },
        ownerReferences: [{ ...owner, controller: true }],
      },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    })
    create('apiextensions.k8s.io/v1', 'CustomResourceDefinition', {
      metadata: { name: `notes.${MARKER}.com`, namespace: undefined },
      spec: {
        group: `${MARKER}.com`,
        names: { plural: 'notes', singular: 'note', kind: 'Note', listKind: 'NoteList' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    })
    settle()
    create(`${MARKER}.com/v1`, 'Note', { metadata: { name: 'one' }, text: MARKER })
    settle()
    expect(findMarked().length).toBeGreaterThan(6)
    await reset()
    settle()
    expect(findMarked()).toEqual([])
  })

  it('events that name deleted objects, and events that an agent changed', async () => {
    const { create, list } = simulation
    create('apps/v1', 'Deployment', { metadata: { name: MARKER }, spec: workloadSpec(MARKER) })
    const [first] = list('v1', 'Event')
    update({ ...first!, message: MARKER })
    settle()
    await reset()
    settle()
    expect(findMarked()).toEqual([])
  })

  it('data in a store without a claim that a pod of the agent could reach', async () => {
    const podsOf = (app: string) =>
      simulation
        .list('v1', 'Pod')
        .filter(({ metadata }) => metadata.labels?.app === app)
        .map(({ metadata }) => metadata.uid)
    const [storePods, otherPods] = [podsOf('idle'), podsOf('watcher')]
    await reset()
    expect(podsOf('idle')).toEqual(storePods)
    simulation.create('v1', 'Pod', { metadata: { name: 'client' }, spec: template.spec })
    settle()
    await reset()
    settle()
    expect(podsOf('idle')).not.toEqual(storePods)
    expect(podsOf('watcher')).toEqual(otherPods)
  })

  it('differences in age that show which objects were recreated', async () => {
    const timesOf = (value: unknown): string[] =>
      JSON.stringify(value).match(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g) ?? []
    const settings = get('v1', 'ConfigMap', 'settings')
    const configMaps = simulation.kindOf('v1', 'ConfigMap')
    agent.delete(configMaps, NAMESPACE, 'settings')
    settle()
    simulation.create('v1', 'ConfigMap', { metadata: { name: 'settings' }, data: settings.data })
    const [pod] = simulation.list('v1', 'Pod').filter(({ metadata }) => metadata.labels?.app === 'idle')
    agent.delete(simulation.kindOf('v1', 'Pod'), NAMESPACE, pod!.metadata.name)
    settle()
    await reset()
    const before = simulation.clock.now()
    settle()
    const resetTime = new Date(before - 2000).toISOString()
    const compared = listAll().filter(({ kind }) => !['coordination.k8s.io/leases'].includes(kind.id))
    const older = compared.filter(({ object }) => timesOf(object).some((time) => `${time}Z` < resetTime))
    expect(older.map(({ object }) => titleOf(object))).toEqual([])
    expect(new Set(compared.map(({ object }) => object.metadata.creationTimestamp)).size).toBe(1)
    expect(simulation.list('v1', 'Event')).toEqual([])
    const inNamespace = compared.filter(({ object }) => object.metadata.namespace === NAMESPACE)
    const byVersion = inNamespace.toSorted(
      (a, b) => Number(a.object.metadata.resourceVersion) - Number(b.object.metadata.resourceVersion),
    )
    const keys = byVersion.map(({ kind, object }) => `${kind.id} ${object.metadata.name}`)
    expect(keys).toEqual(keys.toSorted())
  })

  it('the history, which clients can read with an earlier resource version', async () => {
    const { store } = simulation.cluster.resources
    const version = store.version
    const settings = get('v1', 'ConfigMap', 'settings')
    update({ ...settings, data: { [MARKER]: MARKER } })
    expect(JSON.stringify(store.since('configmaps', version))).toContain(MARKER)
    await reset()
    expect(store.since('configmaps', version)).toBeUndefined()
    expect(JSON.stringify(store.since('configmaps', store.version))).not.toContain(MARKER)
  })
})
