/** The contract suite of the KubeApi port, run by every transport. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiObject, KubeApi, ObjectEvent } from '#spec'

export interface KubeApiSubject {
  api: KubeApi
  /** The API as a user without permissions. */
  forbidden: KubeApi
  /** Runs deferred work, if the cluster has a virtual clock. */
  settle?(): void
  close?(): Promise<void>
}

const MAPS = { apiVersion: 'v1', plural: 'configmaps', namespace: 'default' }
const DEPLOYMENTS = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'default' }
const PODS = { apiVersion: 'v1', plural: 'pods', namespace: 'default' }

const container = { name: 'c', image: 'i' }
const labels = { app: 'web' }
const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
  },
}

const namesOf = (objects: readonly ApiObject[]): string[] => objects.map(({ metadata }) => metadata.name)

/** Gives tests access to the subject, which is created only when they start. */
interface Context {
  readonly api: KubeApi
  readonly forbidden: KubeApi
  settle(): void
  /** Polls after running deferred work. */
  eventually<T>(read: () => T): ReturnType<typeof expect.poll>
  createMap(name: string, fields?: object): Promise<ApiObject>
}

const describeObjects = (context: Context): void => {
  it('creates, reads, updates and deletes', async () => {
    const created = await context.createMap('life')
    expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default' } })
    const changed = await context.api.update({ ...MAPS, name: 'life' }, { ...created, data: { a: 'b' } })
    expect(await context.api.get({ ...MAPS, name: 'life' })).toEqual(changed)
    await context.api.delete({ ...MAPS, name: 'life' })
    await expect(context.api.get({ ...MAPS, name: 'life' })).rejects.toMatchObject({
      code: 404,
      reason: 'NotFound',
    })
  })

  it('rejects with the Status of the API', async () => {
    const created = await context.createMap('twice')
    await expect(context.createMap('twice')).rejects.toMatchObject({ code: 409, reason: 'AlreadyExists' })
    await expect(context.createMap('Bad_')).rejects.toMatchObject({ code: 422, reason: 'Invalid' })
    await context.api.update({ ...MAPS, name: 'twice' }, { ...created, data: { a: 'b' } })
    await expect(
      context.api.update({ ...MAPS, name: 'twice' }, { ...created, data: { a: 'c' } }),
    ).rejects.toMatchObject({
      code: 409,
      reason: 'Conflict',
    })
    await expect(context.api.list({ ...MAPS, plural: 'nopes' })).rejects.toMatchObject({ code: 404 })
    await expect(context.forbidden.list(MAPS)).rejects.toMatchObject({ code: 403, reason: 'Forbidden' })
  })

  it('lists by selector and in pages', async () => {
    for (const name of ['p1', 'p2', 'p3']) await context.createMap(name, { labels: { page: 'yes' } })
    const first = await context.api.list(MAPS, { labelSelector: 'page=yes', limit: 2 })
    expect(namesOf(first.items)).toEqual(['p1', 'p2'])
    const rest = await context.api.list(MAPS, {
      labelSelector: 'page=yes',
      limit: 2,
      continue: first.continue!,
    })
    expect([namesOf(rest.items), rest.continue]).toEqual([['p3'], undefined])
    const byName = await context.api.list(MAPS, { fieldSelector: 'metadata.name=p2' })
    expect(namesOf(byName.items)).toEqual(['p2'])
  })

  it('neither returns nor keeps references to mutable objects', async () => {
    const draft = { metadata: { name: 'mine' }, data: { a: '1' } }
    const created = await context.api.create(MAPS, draft)
    draft.data.a = 'changed'
    for (const returned of [created, (await context.api.list(MAPS)).items.at(-1)!]) {
      try {
        Object.assign(returned.metadata, { labels: { forged: 'yes' } })
      } catch {
        // The object may be frozen, or it may be a copy.
      }
    }
    const stored = await context.api.get({ ...MAPS, name: 'mine' })
    expect([stored.data, stored.metadata.labels]).toEqual([{ a: '1' }, undefined])
    await context.api.delete({ ...MAPS, name: 'mine' })
  })
}

const describeWatches = (context: Context): void => {
  it('watches existing and new objects until it is stopped', async () => {
    const events: string[] = []
    const onEvent = ({ type, object }: ObjectEvent): void => {
      events.push(`${type} ${object.metadata.name}`)
    }
    await context.createMap('w1', { labels: { seen: 'yes' } })
    const stop = await context.api.watch(MAPS, { labelSelector: 'seen=yes' }, onEvent, () => {})
    await context.createMap('w2', { labels: { seen: 'yes' } })
    await context.api.delete({ ...MAPS, name: 'w1' })
    await context.eventually(() => events).toEqual(['ADDED w1', 'ADDED w2', 'DELETED w1'])
    await context.createMap('w3', { labels: { seen: 'yes' } })
    stop()
    context.settle()
    await context.api.list(MAPS)
    expect(events).not.toContain('ADDED w3')
  })

  it('delivers changes to every watcher in order, even if a watcher writes', async () => {
    const seen: string[][] = [[], []]
    const watch = (index: number, onName: (name: string) => void): Promise<() => void> =>
      context.api.watch(
        MAPS,
        { labelSelector: 'order=yes' },
        ({ object }) => {
          seen[index]!.push(object.metadata.name)
          onName(object.metadata.name)
        },
        () => {},
      )
    const order = { labels: { order: 'yes' } }
    const stops = [
      await watch(0, (name) => {
        if (name === 'cause') void context.createMap('effect', order)
      }),
      await watch(1, () => {}),
    ]
    await context.createMap('cause', order)
    await context
      .eventually(() => seen)
      .toEqual([
        ['cause', 'effect'],
        ['cause', 'effect'],
      ])
    for (const stop of stops) stop()
  })

  it('watches from a resource version', async () => {
    const { resourceVersion } = await context.api.list(MAPS)
    const seen: string[] = []
    const stop = await context.api.watch(
      MAPS,
      { resourceVersion },
      ({ object }) => seen.push(object.metadata.name),
      () => {},
    )
    await context.createMap('later')
    await context.eventually(() => seen).toEqual(['later'])
    stop()
  })
}

const describeWrites = (context: Context): void => {
  it('applies all four types of patch', async () => {
    const ref = { ...DEPLOYMENTS, name: 'web' }
    await context.api.create(DEPLOYMENTS, deployment)
    const replicasOf = async (patched: Promise<ApiObject>): Promise<unknown> =>
      ((await patched).spec as { replicas: number }).replicas
    expect(
      await replicasOf(context.api.patch(ref, 'json', [{ op: 'replace', path: '/spec/replicas', value: 2 }])),
    ).toBe(2)
    expect(await replicasOf(context.api.patch(ref, 'merge', { spec: { replicas: 3 } }))).toBe(3)
    expect(await replicasOf(context.api.patch(ref, 'strategic', { spec: { replicas: 4 } }))).toBe(4)
    const applied = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 5 } }
    const options = { fieldManager: 'me', force: true }
    expect(await replicasOf(context.api.patch(ref, 'apply', applied, options))).toBe(5)
    const dryRun = context.api.patch(ref, 'merge', { spec: { replicas: 9 } }, { dryRun: true })
    expect(await replicasOf(dryRun)).toBe(9)
    expect(await replicasOf(context.api.get(ref))).toBe(5)
  })

  it('writes subresources and scales', async () => {
    const ref = { ...DEPLOYMENTS, name: 'web' }
    const patched = await context.api.patch(
      ref,
      'merge',
      { status: { observedGeneration: 1 } },
      { subresource: 'status' },
    )
    expect(patched.status).toMatchObject({ observedGeneration: 1 })
    await context.api.scale(ref, 7)
    expect((await context.api.get(ref)).spec).toMatchObject({ replicas: 7 })
  })

  it('deletes with options', async () => {
    await context.createMap('held', { finalizers: ['example.com/hold'] })
    await context.api.delete({ ...MAPS, name: 'held' }, { dryRun: true })
    expect((await context.api.get({ ...MAPS, name: 'held' })).metadata.deletionTimestamp).toBeUndefined()
    await context.api.delete({ ...MAPS, name: 'held' }, { propagationPolicy: 'Foreground' })
    expect((await context.api.get({ ...MAPS, name: 'held' })).metadata).toMatchObject({
      deletionTimestamp: expect.any(String),
      finalizers: ['example.com/hold', 'foregroundDeletion'],
    })
  })
}

const describePods = (context: Context): void => {
  it('evicts pods', async () => {
    await context.api.create(PODS, { metadata: { name: 'p' }, spec: { containers: [container] } })
    await context.api.evict({ namespace: 'default', name: 'p' })
    await expect(context.api.get({ ...PODS, name: 'p' })).rejects.toMatchObject({ code: 404 })
    await expect(context.api.evict({ namespace: 'default', name: 'p' })).rejects.toMatchObject({ code: 404 })
  })

  it('rejects logs and commands for a pod that is missing or not running', async () => {
    const ref = { namespace: 'default', name: 'idle' }
    await expect(context.api.logs(ref)).rejects.toMatchObject({ code: 404 })
    await context.api.create(PODS, { metadata: { name: 'idle' }, spec: { containers: [container] } })
    await expect(context.api.logs(ref)).rejects.toMatchObject({ code: 400 })
    await expect(context.api.exec(ref, ['true'])).rejects.toMatchObject({ code: expect.any(Number) })
    await expect(context.forbidden.exec(ref, ['true'])).rejects.toMatchObject({ code: 403 })
  })
}

/** `start` creates an API over an empty cluster that has no other user. */
export const describeKubeApi = (transport: string, start: () => Promise<KubeApiSubject>): void => {
  describe(`the KubeApi port ${transport}`, () => {
    let subject: KubeApiSubject
    beforeAll(async () => {
      subject = await start()
    })
    afterAll(() => subject.close?.())

    const context: Context = {
      get api() {
        return subject.api
      },
      get forbidden() {
        return subject.forbidden
      },
      settle: () => subject.settle?.(),
      eventually: (read) =>
        expect.poll(() => {
          subject.settle?.()
          return read()
        }),
      createMap: (name, fields = {}) => subject.api.create(MAPS, { metadata: { name, ...fields } }),
    }
    describeObjects(context)
    describeWatches(context)
    describeWrites(context)
    describePods(context)
  })
}
