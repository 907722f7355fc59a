/** Tests of resetting a small system on a local cluster. Needs root. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SWEEP, smallSystem } from '#platform/engines/local/testing'
import type { ObjectRef } from '#spec'
import { createLocalEngine, type LocalCluster } from './index.ts'

const NAMESPACE = 'small'
const CONFIG = { apiVersion: 'v1', plural: 'configmaps', namespace: NAMESPACE, name: 'settings' }
const PODS = { apiVersion: 'v1', plural: 'pods', namespace: NAMESPACE }
const appsRef = (plural: string, name: string): ObjectRef => ({
  apiVersion: 'apps/v1',
  plural,
  namespace: NAMESPACE,
  name,
})

let state: string
let cluster: LocalCluster
const errors: unknown[] = []

beforeAll(async () => {
  state = mkdtempSync(join(tmpdir(), 'remedium-engine-'))
  const engine = createLocalEngine({ state, onError: (source, error) => errors.push([source, error]) })
  cluster = await engine.provision(smallSystem)
}, 60_000)

afterAll(async () => {
  await cluster?.close()
  await cluster?.close()
  const left = readdirSync(state)
  rmSync(state, { recursive: true, force: true })
  expect({ left, errors }).toEqual({ left: [], errors: [] })
}, 30_000)

/** The uids of the pods, keyed by app. */
const podUids = async (): Promise<Record<string, string[]>> => {
  const { items } = await cluster.api.list(PODS)
  const uids: Record<string, string[]> = {}
  for (const { metadata } of items) {
    const app = (metadata.labels as { app?: string } | undefined)?.app ?? metadata.name
    uids[app] = [...(uids[app] ?? []), metadata.uid as string].sort()
  }
  return uids
}

const podNameOf = async (app: string): Promise<string> =>
  (await cluster.api.list(PODS, { labelSelector: `app=${app}` })).items[0]!.metadata.name

const runInPod = async (name: string, script: string): Promise<string> =>
  (await cluster.api.exec({ namespace: NAMESPACE, name }, ['sh', '-c', script])).stdout.trim()

const unchanged = { deleted: [], recreated: [], updated: [] }

describe('reset', () => {
  it('does nothing to an unchanged cluster', async () => {
    const before = await podUids()
    expect(await cluster.reset()).toMatchObject(unchanged)
    expect(await podUids()).toEqual(before)
  })

  it('updates changed objects in place, and deletes new ones', async () => {
    const before = await podUids()
    await cluster.api.patch(CONFIG, 'merge', { data: { colour: 'red', more: 'yes' } })
    await cluster.api.create({ ...CONFIG, name: undefined } as never, { metadata: { name: 'other' } })
    expect(await cluster.reset()).toMatchObject({
      ...unchanged,
      deleted: ['ConfigMap small/other'],
      updated: ['ConfigMap small/settings'],
    })
    expect((await cluster.api.get(CONFIG)).data).toEqual({ colour: 'green' })
    expect(await podUids()).toEqual(before)
  })

  it('deletes new Jobs of CronJobs, and added nodes', async () => {
    const before = await podUids()
    const batch = { apiVersion: 'batch/v1', namespace: NAMESPACE }
    const { metadata } = await cluster.api.get({ ...batch, plural: 'cronjobs', name: 'sweeper' })
    const ownerReferences = [
      { apiVersion: 'batch/v1', kind: 'CronJob', name: 'sweeper', uid: metadata.uid, controller: true },
    ]
    const jobs = { ...batch, plural: 'jobs' }
    await cluster.api.create(jobs, { metadata: { name: 'sweep-1', ownerReferences }, spec: SWEEP })
    await expect
      .poll(async () => (await cluster.api.get({ ...jobs, name: 'sweep-1' })).status, { timeout: 10_000 })
      .toMatchObject({ succeeded: 1 })
    await cluster.api.create({ apiVersion: 'v1', plural: 'nodes' }, { metadata: { name: 'strange' } })
    expect(await cluster.reset()).toMatchObject({
      ...unchanged,
      deleted: ['Node strange', 'Job small/sweep-1'],
    })
    expect((await cluster.api.list(jobs)).items).toEqual([])
    expect(await podUids()).toEqual(before)
  }, 20_000)

  it('runs one reset at a time, and aborts it when the cluster is closed', async () => {
    const [first, second] = [cluster.reset(), cluster.reset()]
    expect([await first, await second]).toMatchObject([unchanged, unchanged])
    const ownState = mkdtempSync(join(tmpdir(), 'remedium-engine-'))
    const otherCluster = await createLocalEngine({ state: ownState }).provision(smallSystem)
    await otherCluster.api.delete({ apiVersion: 'v1', plural: 'namespaces', name: NAMESPACE })
    const resetting = otherCluster.reset()
    resetting.catch(() => {})
    await otherCluster.close()
    await expect(resetting).rejects.toThrow('The cluster was closed before it was reset.')
    await expect(otherCluster.reset()).rejects.toThrow('The cluster was closed before it was reset.')
    expect(readdirSync(ownState)).toEqual([])
    rmSync(ownState, { recursive: true })
  }, 40_000)

  it.each([
    ['a finalizer', { finalizers: ['example.com/never'] }],
    ['an annotation', { annotations: { note: 'for the next one' } }],
  ])(
    'recreates a pod that was given %s',
    async (_, metadata) => {
      const before = await podUids()
      const name = await podNameOf('server')
      await cluster.api.patch({ ...PODS, name }, 'merge', { metadata })
      await cluster.reset()
      const after = await podUids()
      expect(after.server).not.toEqual(before.server)
      expect({ ...after, server: [] }).toEqual({ ...before, server: [] })
    },
    20_000,
  )

  it('recreates a changed workload with a fresh history', async () => {
    const before = await podUids()
    const idle = appsRef('deployments', 'idle')
    const containers = [{ name: 'c', image: 'busybox:1.35' }]
    await cluster.api.patch(idle, 'strategic', { spec: { template: { spec: { containers } } } })
    await expect
      .poll(async () => (await podUids()).idle?.some((uid) => before.idle!.includes(uid)), {
        timeout: 10_000,
      })
      .toBe(false)
    expect(await cluster.reset()).toMatchObject({ ...unchanged, recreated: ['Deployment small/idle'] })
    const after = await cluster.api.get(idle)
    expect(after.metadata).toMatchObject({ annotations: { 'deployment.kubernetes.io/revision': '1' } })
    const { items } = await cluster.api.list({
      apiVersion: 'apps/v1',
      plural: 'replicasets',
      namespace: NAMESPACE,
    })
    expect(items.filter(({ metadata }) => metadata.name.startsWith('idle-'))).toHaveLength(1)
    const { idle: fresh, ...others } = await podUids()
    expect(others).toEqual({ keeper: before.keeper, loner: before.loner, server: before.server })
    expect(fresh).toHaveLength(2)
    expect(before.idle).not.toEqual(fresh)
  }, 20_000)

  it('reverts a Deployment without restarting its pods if all still run', async () => {
    const before = await podUids()
    const server = appsRef('deployments', 'server')
    const containers = [{ name: 'c', image: 'small/server:2' }]
    await cluster.api.patch(server, 'strategic', { spec: { template: { spec: { containers } } } })
    await expect.poll(async () => (await podUids()).server).toHaveLength(2)
    expect(await cluster.reset()).toMatchObject({ ...unchanged, updated: ['Deployment small/server'] })
    expect(await podUids()).toEqual(before)
    const { metadata, spec } = await cluster.api.get(server)
    expect(metadata).toMatchObject({ annotations: { 'deployment.kubernetes.io/revision': '1' } })
    expect(spec).toMatchObject({ template: { spec: { containers: [{ image: 'small/server:1' }] } } })
    expect(await cluster.reset()).toMatchObject(unchanged)
    expect(await podUids()).toEqual(before)
  }, 20_000)

  it('recreates accessed and restarted pods', async () => {
    const before = await podUids()
    await runInPod('loner', 'touch /tmp/here')
    await runInPod(await podNameOf('server'), 'kill -9 1; kill 1; true')
    const report = await cluster.reset()
    expect(report.recreated).toContain('Pod small/loner')
    expect(report.recreated).toHaveLength(2)
    expect(await runInPod('loner', 'ls /tmp')).toBe('')
    const after = await podUids()
    expect(after.server).not.toEqual(before.server)
    expect(after).toMatchObject({ idle: before.idle, keeper: before.keeper })
    await cluster.reset()
  }, 20_000)

  it('keeps fresh pods with keepNewPods if nothing else has changed', async () => {
    const replacePod = async () => cluster.api.delete({ ...PODS, name: await podNameOf('server') })
    const first = await podUids()
    await replacePod()
    expect(await cluster.reset({ keepNewPods: true })).toMatchObject(unchanged)
    const fresh = await podUids()
    expect(fresh.server).not.toEqual(first.server)
    expect(await cluster.reset()).toMatchObject(unchanged)
    expect((await podUids()).server).toEqual(fresh.server)
    await replacePod()
    await cluster.api.patch(appsRef('deployments', 'idle'), 'merge', { spec: { replicas: 1 } })
    const { recreated } = await cluster.reset({ keepNewPods: true })
    expect(recreated).toContainEqual(expect.stringMatching('Pod small/server'))
  }, 20_000)

  it('restores the content of claims', async () => {
    await runInPod('keeper-0', 'echo second > /data/first; echo x > /data/more')
    const report = await cluster.reset()
    expect(report).toMatchObject({ ...unchanged, recreated: ['StatefulSet small/keeper'] })
    expect(await runInPod('keeper-0', 'ls /data; cat /data/first')).toBe('first\nfirst')
    await cluster.reset()
  }, 20_000)

  it('keeps data of the system with keepData if no agent can have changed it', async () => {
    const files = readdirSync(state, { recursive: true, encoding: 'utf8' })
    const first = files.find((path) => path.endsWith('/first') && !path.includes('/baseline/'))!
    const more = join(state, dirname(first), 'more')
    writeFileSync(more, 'x')
    await cluster.api.delete({ ...PODS, name: await podNameOf('server') })
    const before = await podUids()
    const { recreated } = await cluster.reset({ keepData: true })
    expect(recreated).not.toContain('StatefulSet small/keeper')
    expect((await podUids()).keeper).toEqual(before.keeper)
    expect(existsSync(more)).toBe(true)
    await cluster.api.patch(appsRef('deployments', 'idle'), 'merge', { spec: { replicas: 1 } })
    await cluster.reset({ keepData: true, isTrusted: true })
    expect([(await podUids()).keeper, existsSync(more)]).toEqual([before.keeper, true])
    await runInPod('keeper-0', 'true')
    expect((await cluster.reset({ keepData: true })).recreated).toEqual(['StatefulSet small/keeper'])
    expect(existsSync(more)).toBe(false)
  }, 20_000)

  it('recreates a deleted claim with its content', async () => {
    await cluster.api.delete(appsRef('statefulsets', 'keeper'))
    await cluster.api.delete({
      apiVersion: 'v1',
      plural: 'persistentvolumeclaims',
      namespace: NAMESPACE,
      name: 'data-keeper-0',
    })
    const { recreated } = await cluster.reset()
    expect(recreated).toEqual(
      expect.arrayContaining(['PersistentVolumeClaim small/data-keeper-0', 'StatefulSet small/keeper']),
    )
    expect(await runInPod('keeper-0', 'cat /data/first')).toBe('first')
    await cluster.reset()
  }, 20_000)

  it('restores the disks of nodes', async () => {
    const runOnHost = async (name: string, script: string): Promise<string> => {
      const hostVolume = { name: 'host', hostPath: { path: '/var/notes', type: 'DirectoryOrCreate' } }
      const container = { name: 'c', image: 'busybox:1.36', command: ['sleep', '1000'] }
      const spec = {
        nodeName: 'node1',
        terminationGracePeriodSeconds: 0,
        volumes: [hostVolume],
        containers: [{ ...container, volumeMounts: [{ name: 'host', mountPath: '/host' }] }],
      }
      await cluster.api.create(PODS, { metadata: { name }, spec })
      await expect
        .poll(async () => (await cluster.api.get({ ...PODS, name })).status, { timeout: 10_000 })
        .toMatchObject({ phase: 'Running' })
      return await runInPod(name, script)
    }
    expect(await runOnHost('scribe', 'echo x > /host/plan; ls /host')).toBe('plan')
    await cluster.reset()
    expect(await runOnHost('reader', 'ls /host')).toBe('')
    await cluster.reset()
  }, 20_000)

  it('restores cordoned, tainted, unhealthy and unreachable nodes', async () => {
    const node = (name: string) => ({ apiVersion: 'v1', plural: 'nodes', name })
    const taints = [{ key: 'mine', effect: 'NoSchedule' }]
    await cluster.api.patch(node('node1'), 'merge', { spec: { unschedulable: true, taints } })
    const metadata = { annotations: { note: 'mine' }, labels: { note: 'mine' } }
    await cluster.api.patch(node('node1'), 'merge', { metadata })
    cluster.setNodeHealth('node2', false)
    await cluster.setNodeReachable('node3', false)
    expect(await cluster.reset()).toMatchObject({ ...unchanged, updated: ['Node node1'] })
    const { spec, metadata: after } = await cluster.api.get(node('node1'))
    expect(JSON.stringify({ ...after, managedFields: [] })).not.toContain('note')
    expect(spec).not.toHaveProperty('unschedulable')
    expect(spec).not.toHaveProperty('taints')
  }, 20_000)

  it('recreates a deleted namespace, and deletes a new one with finalizers in it', async () => {
    const namespaces = { apiVersion: 'v1', plural: 'namespaces' }
    await cluster.api.create(namespaces, { metadata: { name: 'stray' } })
    const held = { name: 'held', finalizers: ['example.com/never'] }
    await cluster.api.create({ ...PODS, plural: 'configmaps', namespace: 'stray' }, { metadata: held })
    await cluster.api.delete({ ...namespaces, name: NAMESPACE })
    const report = await cluster.reset()
    expect(report.deleted).toEqual(['Namespace stray'])
    expect(report.recreated).toEqual(
      expect.arrayContaining([
        'Namespace small',
        'Deployment small/server',
        'Service small/server',
        'Pod small/loner',
      ]),
    )
    expect((await cluster.api.get(CONFIG)).data).toEqual({ colour: 'green' })
    expect(await runInPod('keeper-0', 'cat /data/first')).toBe('first')
    await cluster.reset()
  }, 40_000)
})

const dial = (): Socket => {
  const { port } = new URL(cluster.entryPoints[0]!.url)
  return connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
}

describe('an entry point', () => {
  it('forwards large amounts of data in both directions, even to half-closed clients', async () => {
    const [sent, requested] = [8 << 20, 16 << 20]
    const socket = dial()
    socket.write(String(requested).padStart(10, '0'))
    socket.end(Buffer.alloc(sent))
    const answer = await buffer(socket)
    const head = `${sent + 10}\n`
    expect(answer.toString('utf8', 0, head.length)).toBe(head)
    expect(answer.length).toBe(head.length + requested)
  })

  it('resets connections while the Service is missing', async () => {
    await cluster.api.delete({ apiVersion: 'v1', plural: 'services', namespace: NAMESPACE, name: 'server' })
    const socket = dial()
    await expect(buffer(socket)).rejects.toThrow('ECONNRESET')
    expect(await cluster.reset()).toMatchObject({ ...unchanged, recreated: ['Service small/server'] })
    await expect
      .poll(async () => {
        const retry = dial()
        retry.end('0000000001')
        return (await buffer(retry)).toString()
      })
      .toBe('10\nx')
  })
})

describe('provision', () => {
  it('removes everything when it is aborted', async () => {
    const ownState = mkdtempSync(join(tmpdir(), 'remedium-engine-'))
    const controller = new AbortController()
    const engine = createLocalEngine({ state: ownState })
    const provisioning = engine.provision(smallSystem, {
      signal: controller.signal,
      onProgress: (line) => line.startsWith('waiting for') && controller.abort(new Error('enough')),
    })
    await expect(provisioning).rejects.toThrow('enough')
    expect(readdirSync(ownState)).toEqual([])
    rmSync(ownState, { recursive: true })
  }, 20_000)
})
