/** What every transport of the KubeApi port must do: one suite that each of them runs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ApiObject, KubeApi, ObjectEvent } from '../../../spec/index.ts'

export interface KubeApiSubject {
  api: KubeApi
  /** Who is let do nothing. */
  nobody: KubeApi
  /** Lets the cluster do what it has put off, where its clock does not move by itself. */
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

const names = (objects: readonly ApiObject[]): string[] => objects.map(({ metadata }) => metadata.name)

/** `start` gives an API over an empty cluster, of which it may be the only user. */
export const describeKubeApi = (transport: string, start: () => Promise<KubeApiSubject>): void => {
  describe(`the KubeApi port ${transport}`, () => {
    let subject: KubeApiSubject
    let api: KubeApi
    beforeAll(async () => {
      subject = await start()
      api = subject.api
    })
    afterAll(() => subject.close?.())

    const eventually = <T>(read: () => T) =>
      expect.poll(() => {
        subject.settle?.()
        return read()
      })

    const make = (name: string, fields: object = {}): Promise<ApiObject> =>
      api.create(MAPS, { metadata: { name, ...fields } })

    it('creates, gets, changes and deletes', async () => {
      const made = await make('life')
      expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default' } })
      const changed = await api.update({ ...MAPS, name: 'life' }, { ...made, data: { a: 'b' } })
      expect(await api.get({ ...MAPS, name: 'life' })).toEqual(changed)
      await api.delete({ ...MAPS, name: 'life' })
      await expect(api.get({ ...MAPS, name: 'life' })).rejects.toMatchObject({
        code: 404,
        reason: 'NotFound',
      })
    })

    it('rejects with the Status of the API', async () => {
      const made = await make('twice')
      await expect(make('twice')).rejects.toMatchObject({ code: 409, reason: 'AlreadyExists' })
      await expect(make('Bad_')).rejects.toMatchObject({ code: 422, reason: 'Invalid' })
      await api.update({ ...MAPS, name: 'twice' }, { ...made, data: { a: 'b' } })
      await expect(
        api.update({ ...MAPS, name: 'twice' }, { ...made, data: { a: 'c' } }),
      ).rejects.toMatchObject({
        code: 409,
        reason: 'Conflict',
      })
      await expect(api.list({ ...MAPS, plural: 'nopes' })).rejects.toMatchObject({ code: 404 })
      await expect(subject.nobody.list(MAPS)).rejects.toMatchObject({ code: 403, reason: 'Forbidden' })
    })

    it('lists by selector and page by page', async () => {
      for (const name of ['p1', 'p2', 'p3']) await make(name, { labels: { page: 'yes' } })
      const first = await api.list(MAPS, { labelSelector: 'page=yes', limit: 2 })
      expect(names(first.items)).toEqual(['p1', 'p2'])
      const rest = await api.list(MAPS, { labelSelector: 'page=yes', limit: 2, continue: first.continue! })
      expect([names(rest.items), rest.continue]).toEqual([['p3'], undefined])
      expect(names((await api.list(MAPS, { fieldSelector: 'metadata.name=p2' })).items)).toEqual(['p2'])
    })

    it('watches what is there and what comes, until it is stopped', async () => {
      const events: string[] = []
      const onEvent = ({ type, object }: ObjectEvent): void => {
        events.push(`${type} ${object.metadata.name}`)
      }
      await make('w1', { labels: { seen: 'yes' } })
      const stop = await api.watch(MAPS, { labelSelector: 'seen=yes' }, onEvent, () => {})
      await make('w2', { labels: { seen: 'yes' } })
      await api.delete({ ...MAPS, name: 'w1' })
      await eventually(() => events).toEqual(['ADDED w1', 'ADDED w2', 'DELETED w1'])
      await make('w3', { labels: { seen: 'yes' } })
      stop()
      subject.settle?.()
      await api.list(MAPS)
      expect(events).not.toContain('ADDED w3')
    })

    it('tells every watcher of changes in their order, even where one of them writes in between', async () => {
      const seen: string[][] = [[], []]
      const watch = (index: number, onName: (name: string) => void): Promise<() => void> =>
        api.watch(
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
          if (name === 'cause') void make('effect', order)
        }),
        await watch(1, () => {}),
      ]
      await make('cause', order)
      await eventually(() => seen).toEqual([
        ['cause', 'effect'],
        ['cause', 'effect'],
      ])
      for (const stop of stops) stop()
    })

    it('gives objects that nobody can change, and takes none by reference', async () => {
      const mine = { metadata: { name: 'mine' }, data: { a: '1' } }
      const made = await api.create(MAPS, mine)
      mine.data.a = 'changed'
      for (const given of [made, (await api.list(MAPS)).items.at(-1)!]) {
        try {
          Object.assign(given.metadata, { labels: { forged: 'yes' } })
        } catch {
          // Either way is good, as long as nobody else sees it.
        }
      }
      const stored = await api.get({ ...MAPS, name: 'mine' })
      expect([stored.data, stored.metadata.labels]).toEqual([{ a: '1' }, undefined])
      await api.delete({ ...MAPS, name: 'mine' })
    })

    it('watches from a version on', async () => {
      const { resourceVersion } = await api.list(MAPS)
      const seen: string[] = []
      const stop = await api.watch(
        MAPS,
        { resourceVersion },
        ({ object }) => seen.push(object.metadata.name),
        () => {},
      )
      await make('later')
      await eventually(() => seen).toEqual(['later'])
      stop()
    })

    it('patches in all four ways', async () => {
      const ref = { ...DEPLOYMENTS, name: 'web' }
      await api.create(DEPLOYMENTS, deployment)
      const replicas = async (patched: Promise<ApiObject>): Promise<unknown> =>
        ((await patched).spec as { replicas: number }).replicas
      expect(
        await replicas(api.patch(ref, 'json', [{ op: 'replace', path: '/spec/replicas', value: 2 }])),
      ).toBe(2)
      expect(await replicas(api.patch(ref, 'merge', { spec: { replicas: 3 } }))).toBe(3)
      expect(await replicas(api.patch(ref, 'strategic', { spec: { replicas: 4 } }))).toBe(4)
      const applied = { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 5 } }
      const choices = { fieldManager: 'me', force: true }
      expect(await replicas(api.patch(ref, 'apply', applied, choices))).toBe(5)
      const tried = api.patch(ref, 'merge', { spec: { replicas: 9 } }, { dryRun: true })
      expect(await replicas(tried)).toBe(9)
      expect(await replicas(api.get(ref))).toBe(5)
    })

    it('writes subresources and scales', async () => {
      const ref = { ...DEPLOYMENTS, name: 'web' }
      const told = await api.patch(
        ref,
        'merge',
        { status: { observedGeneration: 1 } },
        { subresource: 'status' },
      )
      expect(told.status).toMatchObject({ observedGeneration: 1 })
      await api.scale(ref, 7)
      expect((await api.get(ref)).spec).toMatchObject({ replicas: 7 })
    })

    it('evicts pods', async () => {
      await api.create(PODS, { metadata: { name: 'p' }, spec: { containers: [container] } })
      await api.evict({ namespace: 'default', name: 'p' })
      await expect(api.get({ ...PODS, name: 'p' })).rejects.toMatchObject({ code: 404 })
      await expect(api.evict({ namespace: 'default', name: 'p' })).rejects.toMatchObject({ code: 404 })
    })

    it('deletes with options', async () => {
      await make('held', { finalizers: ['example.com/hold'] })
      await api.delete({ ...MAPS, name: 'held' }, { dryRun: true })
      expect((await api.get({ ...MAPS, name: 'held' })).metadata.deletionTimestamp).toBeUndefined()
      await api.delete({ ...MAPS, name: 'held' }, { propagationPolicy: 'Foreground' })
      expect((await api.get({ ...MAPS, name: 'held' })).metadata).toMatchObject({
        deletionTimestamp: expect.any(String),
        finalizers: ['example.com/hold', 'foregroundDeletion'],
      })
    })

    it('says why there is no log and nothing to run a command in', async () => {
      const ref = { namespace: 'default', name: 'idle' }
      await expect(api.logs(ref)).rejects.toMatchObject({ code: 404 })
      await api.create(PODS, { metadata: { name: 'idle' }, spec: { containers: [container] } })
      await expect(api.logs(ref)).rejects.toMatchObject({ code: 400 })
      await expect(api.exec(ref, ['true'])).rejects.toMatchObject({ code: expect.any(Number) })
      await expect(subject.nobody.exec(ref, ['true'])).rejects.toMatchObject({ code: 403 })
    })
  })
}
