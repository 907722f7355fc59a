/** Tests nodes that are cordoned, drained, tainted, silent or cut off, and the real pods on them. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node, Pod, PodSpec, Toleration } from 'kubernetes-types/core/v1.d.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defined } from '#kit'
import type { PodRef } from '#spec'
import { createFastClock } from './testing/fast-clock.ts'
import { createTrialCluster, type TrialCluster } from './testing/trial-cluster.ts'

/** Shortens the 40 seconds that the controller waits before a node counts as unreachable. */
const CLOCK_SPEED = 10
const POLL = { timeout: 20_000, interval: 50 }
const nodes = { apiVersion: 'v1', plural: 'nodes' }
const pods = { apiVersion: 'v1', plural: 'pods', namespace: 'default' }

let trial: TrialCluster
beforeAll(async () => {
  trial = await createTrialCluster({ clock: createFastClock(CLOCK_SPEED) })
})
afterAll(() => trial?.close())

const getNode = async (name: string): Promise<Node> =>
  (await trial.local.api.get({ ...nodes, name })) as unknown as Node
const readReadiness = async (name: string): Promise<string | undefined> =>
  (await getNode(name)).status?.conditions?.find(({ type }) => type === 'Ready')?.status
const patchNode = (name: string, spec: object): Promise<unknown> =>
  trial.local.api.patch({ ...nodes, name }, 'merge', { spec })
const listPods = async (app: string): Promise<Pod[]> =>
  (await trial.local.api.list(pods, { labelSelector: `app=${app}` })).items as unknown as Pod[]
const isReady = ({ metadata, status }: Pod): boolean =>
  metadata?.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true
/** Resolves to the nodes of the pods that are Ready. */
const listReadyNodes = async (app: string): Promise<string[]> =>
  (await listPods(app)).filter(isReady).map(({ spec }) => spec!.nodeName!)
const podExists = async ({ name }: PodRef): Promise<boolean> =>
  (await trial.local.api.list(pods)).items.some(({ metadata }) => metadata.name === name)

/** Answers every connection with the name of its pod. */
const SERVER = `
import socket
server = socket.create_server(('', 8080))
while True:
    connection = server.accept()[0]
    connection.sendall(socket.gethostname().encode())
    connection.close()`

const createDeployment = async (
  app: string,
  replicas: number,
  spec: Partial<PodSpec> = {},
): Promise<void> => {
  const { api } = trial.local
  const namespace = 'default'
  const container = {
    name: 'main',
    image: 'python:3.12',
    command: ['python3', '-c', SERVER],
    readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 },
  }
  await api.create(
    { apiVersion: 'apps/v1', plural: 'deployments', namespace },
    {
      metadata: { name: app },
      spec: {
        replicas,
        selector: { matchLabels: { app } },
        template: {
          metadata: { labels: { app } },
          spec: { terminationGracePeriodSeconds: 1, containers: [container], ...spec },
        },
      },
    },
  )
  await api.create(
    { apiVersion: 'v1', plural: 'services', namespace },
    { metadata: { name: app }, spec: { selector: { app }, ports: [{ port: 8080 }] } },
  )
  await expect.poll(() => listReadyNodes(app), POLL).toHaveLength(replicas)
}
const removeDeployment = (name: string): Promise<void> =>
  trial.local.api.delete({ apiVersion: 'apps/v1', plural: 'deployments', namespace: 'default', name })

const toleration = (key: string, tolerationSeconds?: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...defined({ tolerationSeconds }),
})

describe('a cordoned node', () => {
  it('keeps its pods, and gets only new ones that tolerate the taint', async () => {
    const existing = await trial.startPod({ spec: { nodeName: 'node1' } })
    await patchNode('node1', { unschedulable: true })
    const nodeSelector = { 'kubernetes.io/hostname': 'node1' }
    const waiting = await trial.createPod({ spec: { nodeSelector } })
    const reasonOf = async (): Promise<string | undefined> =>
      (await trial.getPod(waiting)).status?.conditions?.[0]?.message
    await expect.poll(reasonOf, POLL).toContain('1 node(s) were unschedulable')
    const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }]
    const tolerant = await trial.startPod({ spec: { nodeSelector, tolerations } })
    expect(await trial.sh(existing, 'echo alive')).toBe('alive\n')
    await patchNode('node1', { unschedulable: null })
    await trial.waitUntil(waiting, ({ status }) => status?.phase === 'Running')
    await trial.remove(existing, waiting, tolerant)
  })
})

describe('a drained node', () => {
  it('loses its pods one by one as the budget requires, with at most two failed requests', async () => {
    const { api } = trial.local
    await createDeployment('shop', 3)
    await api.create(
      { apiVersion: 'policy/v1', plural: 'poddisruptionbudgets', namespace: 'default' },
      { metadata: { name: 'shop' }, spec: { minAvailable: 2, selector: { matchLabels: { app: 'shop' } } } },
    )
    const client = await trial.startPod({
      spec: { nodeName: 'node3', tolerations: [{ operator: 'Exists' }] },
    })
    const requests = trial.python(
      client,
      `
import os, socket, time
responders, failures, end = set(), 0, time.time() + 30
while time.time() < end and not (len(responders) > 3 and os.path.exists('/tmp/enough')):
    try:
        with socket.create_connection(('shop', 8080), 2) as connection: responders.add(connection.recv(100))
    except OSError: failures += 1
    if len(responders) == 3: open('/tmp/asking', 'w')
    time.sleep(0.02)
print(failures <= 2, len(responders) > 3)`,
    )
    await expect.poll(() => trial.sh(client, 'ls /tmp'), POLL).toContain('asking')
    const before = await listPods('shop')
    const refusals: string[] = []
    for (const name of ['node1', 'node2']) await patchNode(name, { unschedulable: true })
    const leaving = before.filter(({ spec }) => spec?.nodeName !== 'node3')
    expect(leaving.length).toBeGreaterThan(0)
    await Promise.all(
      leaving.map(async ({ metadata }) => {
        const ref = { namespace: 'default', name: metadata!.name! }
        for (;;) {
          const refusal = await api.evict(ref).catch((error: Error & { code: number }) => error)
          if (refusal === undefined) return
          expect(refusal).toMatchObject({ code: 429 })
          refusals.push(refusal.message)
          expect((await listReadyNodes('shop')).length).toBeGreaterThanOrEqual(2)
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      }),
    )
    await expect.poll(() => listReadyNodes('shop'), POLL).toEqual(['node3', 'node3', 'node3'])
    if (leaving.length > 1)
      expect(refusals.join()).toContain(`Cannot evict pod as it would violate the pod's disruption budget.`)
    for (const name of ['node1', 'node2']) await patchNode(name, { unschedulable: null })
    await trial.sh(client, 'touch /tmp/enough')
    expect(await requests).toBe('True True\n')
    await trial.remove(client)
    await removeDeployment('shop')
  })
})

describe('a tainted node', () => {
  it('evicts pods that do not tolerate the taint, at once or after a time', async () => {
    const podOnNode2 = (tolerations: Toleration[] = []) => ({ spec: { nodeName: 'node2', tolerations } })
    const [plain, patient, tolerant] = await Promise.all([
      trial.startPod(podOnNode2()),
      trial.startPod(podOnNode2([toleration('fire', 20)])),
      trial.startPod(podOnNode2([toleration('fire')])),
    ])
    await patchNode('node2', { taints: [{ key: 'fire', value: 'small', effect: 'NoSchedule' }] })
    expect(await trial.sh(plain, 'echo stays')).toBe('stays\n')
    await patchNode('node2', { taints: [{ key: 'fire', value: 'large', effect: 'NoExecute' }] })
    await expect.poll(() => podExists(plain), POLL).toBe(false)
    expect(await podExists(patient)).toBe(true)
    await expect.poll(() => podExists(patient), POLL).toBe(false)
    expect(await trial.sh(tolerant, 'echo stays')).toBe('stays\n')
    await patchNode('node2', { taints: null })
    await trial.remove(tolerant)
  })
})

const SHORT_TOLERATIONS = [
  toleration('node.kubernetes.io/unreachable', 5),
  toleration('node.kubernetes.io/not-ready', 5),
]

/** Reads the file in the volume `report` of a pod from the disk, because a pod that is cut off cannot be reached. */
const readReport = async (ref: PodRef): Promise<string> => {
  const { uid } = (await trial.getPod(ref)).metadata!
  const file = join(trial.local.folder, 'pods', uid!, 'volumes', 'report', 'now')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
const reportingPod = (script: string, nodeName: string, tolerations: Toleration[]) => ({
  container: {
    image: 'python:3.12',
    command: ['python3', '-c', script],
    volumeMounts: [{ name: 'report', mountPath: '/report' }],
  },
  spec: {
    nodeName,
    tolerations,
    terminationGracePeriodSeconds: 1,
    volumes: [{ name: 'report', emptyDir: {} }],
  },
})

describe('a silent node', () => {
  it('becomes unreachable; its pods are replaced on other nodes, and are stopped when it returns', async () => {
    const countProgram = `
import time
for count in range(10**9):
    open('/report/now', 'w').write(str(count)); time.sleep(0.02)`
    const stray = await trial.startPod(reportingPod(countProgram, 'node1', SHORT_TOLERATIONS))
    const readCount = async (): Promise<number> => Number(await readReport(stray))
    for (const name of ['node2', 'node3']) await patchNode(name, { unschedulable: true })
    await createDeployment('clinic', 2, { tolerations: SHORT_TOLERATIONS })
    for (const name of ['node2', 'node3']) await patchNode(name, { unschedulable: null })
    trial.local.setNodeHealth('node1', false)

    await expect.poll(() => readReadiness('node1'), POLL).toBe('Unknown')
    const keys = (await getNode('node1')).spec?.taints?.map(({ key, effect }) => `${key}:${effect}`)
    expect(keys).toContain('node.kubernetes.io/unreachable:NoSchedule')
    await expect.poll(() => listReadyNodes('clinic'), POLL).toHaveLength(2)
    expect(await listReadyNodes('clinic')).not.toContain('node1')
    const leaving = await trial.waitUntil(stray, ({ metadata }) => metadata?.deletionTimestamp !== undefined)
    // The node has not received the deletion: the process still runs.
    const before = await readCount()
    await expect.poll(readCount, POLL).toBeGreaterThan(before)
    expect(await listPods('clinic')).toHaveLength(4)

    trial.local.setNodeHealth('node1', true)
    await expect.poll(() => readReadiness('node1'), POLL).toBe('True')
    await expect.poll(() => podExists(stray), POLL).toBe(false)
    expect(existsSync(join(trial.local.folder, 'pods', leaving.metadata!.uid!, 'volumes'))).toBe(false)
    await expect.poll(() => listPods('clinic'), POLL).toHaveLength(2)
    expect((await getNode('node1')).spec?.taints).toBeUndefined()
    await removeDeployment('clinic')
  })

  it('keeps pods that tolerate it, and manages them again when it returns', async () => {
    const tolerations = [
      toleration('node.kubernetes.io/unreachable'),
      toleration('node.kubernetes.io/not-ready'),
    ]
    const script = 'import time, os\nopen("/report/now", "w").write(str(os.getpid()))\ntime.sleep(10**6)'
    const pod = await trial.startPod({ ...reportingPod(script, 'node2', tolerations) })
    trial.local.setNodeHealth('node2', false)
    await expect.poll(() => readReadiness('node2'), POLL).toBe('Unknown')
    await trial.waitUntil(pod, (current) => !isReady(current))
    expect((await trial.getPod(pod)).metadata?.deletionTimestamp).toBeUndefined()
    trial.local.setNodeHealth('node2', true)
    const resumed = await trial.waitUntil(pod, isReady)
    expect(resumed.status?.containerStatuses?.[0]?.restartCount).toBe(0)
    expect(await trial.sh(pod, 'echo alive')).toBe('alive\n')
    await trial.remove(pod)
  })
})

describe('a node that is cut off', () => {
  /** Returns a program that reports the names of the targets that it can reach. */
  const reachProgram = (targets: Record<string, [string, number]>): string => `
import json, os, socket, time
targets = json.loads('${JSON.stringify(targets)}')
def can_reach(target):
    try:
        with socket.create_connection(tuple(target), 0.3): return True
    except OSError: return False
while True:
    found = ' '.join(name for name, target in targets.items() if can_reach(target))
    with open('/report/next', 'w') as file: file.write('reaches ' + found)
    os.rename('/report/next', '/report/now')
    time.sleep(0.02)`

  it('reaches only itself, and everything again once it is reconnected', async () => {
    const tolerations = [
      toleration('node.kubernetes.io/unreachable'),
      toleration('node.kubernetes.io/not-ready'),
    ]
    const serverOn = (nodeName: string) =>
      trial.startPod({
        container: { image: 'python:3.12', command: ['python3', '-c', SERVER] },
        spec: { nodeName, tolerations },
      })
    const servers = await Promise.all(['node1', 'node1', 'node2', 'node3'].map(serverOn))
    const ips = (await Promise.all(servers.map(trial.getPod))).map(({ status }) => status!.podIP!)
    const api: [string, number] = ['10.96.0.1', 443]
    const addressOf = (index: number): [string, number] => [ips[index]!, 8080]
    const inside = await trial.startPod(
      reportingPod(reachProgram({ near: addressOf(0), far: addressOf(2), api }), 'node1', tolerations),
    )
    const outside = await trial.startPod(
      reportingPod(
        reachProgram({ cut: addressOf(1), near: addressOf(2), other: addressOf(3), api }),
        'node2',
        tolerations,
      ),
    )
    const readReports = async (): Promise<string[]> => Promise.all([inside, outside].map(readReport))
    await expect.poll(readReports, POLL).toEqual(['reaches near far api', 'reaches cut near other api'])

    await trial.local.setNodeReachable('node1', false)
    await expect.poll(readReports, POLL).toEqual(['reaches near', 'reaches near other api'])
    await expect.poll(() => readReadiness('node1'), POLL).toBe('Unknown')
    expect(await readReports()).toEqual(['reaches near', 'reaches near other api'])

    await trial.local.setNodeReachable('node1', true)
    await expect.poll(readReports, POLL).toEqual(['reaches near far api', 'reaches cut near other api'])
    await expect.poll(() => readReadiness('node1'), POLL).toBe('True')
    const after = await Promise.all([inside, ...servers].map((ref) => trial.waitUntil(ref, isReady)))
    expect(after.map(({ status }) => status?.containerStatuses?.[0]?.restartCount)).toEqual([0, 0, 0, 0, 0])
    expect(await trial.sh(inside, 'cat /report/now')).toBe('reaches near far api')
    await trial.remove(inside, outside, ...servers)
  })

  it('gets no requests from Services once it is unreachable', async () => {
    await createDeployment('bank', 4, { tolerations: SHORT_TOLERATIONS })
    const podsOnNode1 = (await listPods('bank')).filter(({ spec }) => spec?.nodeName === 'node1')
    expect(podsOnNode1.length).toBeGreaterThan(0)
    const client = await trial.startPod({ spec: { nodeName: 'node2' } })
    await trial.local.setNodeReachable('node1', false)
    await expect.poll(() => listReadyNodes('bank'), POLL).not.toContain('node1')
    await expect.poll(() => listReadyNodes('bank'), POLL).toHaveLength(4)
    const requestProgram = `
import socket
def request():
    with socket.create_connection(('bank', 8080), 0.5) as connection: return connection.recv(100).decode()
print(sorted({request() for _ in range(60)}))`
    const names = (await listPods('bank')).filter(isReady).map(({ metadata }) => `'${metadata!.name}'`)
    await expect.poll(() => trial.python(client, requestProgram), POLL).toBe(`[${names.sort().join(', ')}]\n`)
    await trial.local.setNodeReachable('node1', true)
    await expect.poll(() => listPods('bank'), POLL).toHaveLength(4)
    await trial.remove(client)
    await removeDeployment('bank')
  })
})
