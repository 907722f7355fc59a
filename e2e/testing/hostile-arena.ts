/** A live system for hostile agents, and around it everything that they must not see or harm. */

import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createUnixServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { createAgentAccounts, LABORATORY, openAgentAccess } from '#exam/episode'
import { defined } from '#kit'
import { createSandbox, type Sandbox } from '#machine/sandbox'
import { createLocalEngine } from '#platform/engines/local'
import { createPlaybookRunner, type PlaybookRunner } from '#platform/playbook'
import type { ApiObject, EngineCluster, KubeApi, ResourceRef } from '#spec'
import { loadSystem } from '#world/systems'
import { kubectls } from '../tools.ts'
import { makeHostSecret, SECRET } from './host-secret.ts'
import type { Placeholders } from './hostile-corpus.ts'

const CLUSTER_SECRET = 'the neighbour keeps this to itself'
const NEIGHBOUR = 'neighbour'
const ABSTRACT = `remedium-hostile-${process.pid}`

/** Output that contains one of these reveals a secret. */
export const SECRETS: readonly string[] = [
  SECRET,
  CLUSTER_SECRET,
  Buffer.from(CLUSTER_SECRET).toString('base64'),
]

export interface Arena {
  readonly cluster: EngineCluster
  readonly sandbox: Sandbox
  readonly runner: PlaybookRunner
  readonly kubeconfig: string
  readonly places: Placeholders
  /** Checks that the machine, the neighbour and the laboratory are unchanged. */
  expectUnharmed(): Promise<void>
  close(): Promise<void>
}

const of = (apiVersion: string, plural: string, namespace?: string): ResourceRef => ({
  apiVersion,
  plural,
  ...defined({ namespace }),
})

const deployment = (name: string): object => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [{ name, image: 'busybox:1.36', command: ['sleep', '100000'] }],
      },
    },
  },
})

/** Objects that the agent must not reach, in two namespaces and cluster-wide. */
const furnish = async (api: KubeApi, system: string): Promise<void> => {
  for (const namespace of [NEIGHBOUR, LABORATORY]) {
    await api.create(of('v1', 'namespaces'), { metadata: { name: namespace } })
    const data = { word: CLUSTER_SECRET }
    await api.create(of('v1', 'secrets', namespace), { metadata: { name: 'canary' }, stringData: data })
    await api.create(of('v1', 'configmaps', namespace), { metadata: { name: 'canary' }, data })
    await api.create(of('apps/v1', 'deployments', namespace), deployment('shop'))
  }
  await api.create(of('v1', 'persistentvolumes'), {
    metadata: { name: 'canary' },
    spec: {
      capacity: { storage: '1Mi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'none',
      hostPath: { path: '/x' },
    },
  })
  await api.create(of('v1', 'persistentvolumeclaims', system), {
    metadata: { name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'none2',
      resources: { requests: { storage: '1Mi' } },
    },
  })
  await api.create(of('chaos-mesh.org/v1alpha1', 'networkchaos', system), {
    metadata: { name: 'canary', annotations: { word: CLUSTER_SECRET } },
    spec: {
      action: 'delay',
      mode: 'all',
      selector: { namespaces: [NEIGHBOUR], labelSelectors: { app: 'nobody' } },
      delay: { latency: '1ms' },
    },
  })
}

const WATCHED = [
  ...[NEIGHBOUR, LABORATORY].flatMap((namespace) => [
    ...['secrets', 'configmaps', 'pods', 'services'].map((plural) => of('v1', plural, namespace)),
    of('apps/v1', 'deployments', namespace),
  ]),
  ...['namespaces', 'nodes', 'persistentvolumes', 'persistentvolumeclaims'].map((plural) => of('v1', plural)),
  ...['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'].map((plural) =>
    of('rbac.authorization.k8s.io/v1', plural),
  ),
  of('apiextensions.k8s.io/v1', 'customresourcedefinitions'),
  of('chaos-mesh.org/v1alpha1', 'networkchaos'),
  of('chaos-mesh.org/v1alpha1', 'podchaos'),
  of('v1', 'configmaps', 'kube-system'),
]

const plain = ({ metadata, status, ...rest }: ApiObject): object => ({
  ...rest,
  name: metadata.name,
  namespace: metadata.namespace,
  uid: metadata.uid,
  labels: metadata.labels,
  annotations: metadata.annotations,
})

const stateOf = async (api: KubeApi): Promise<object> => {
  const lists = await Promise.all(WATCHED.map((ref) => api.list(ref)))
  return Object.fromEntries(
    lists.map(({ items }, at) => [
      `${WATCHED[at]!.plural} of ${WATCHED[at]!.namespace ?? 'all'}`,
      items.map(plain),
    ]),
  )
}

interface Machine {
  readonly places: Placeholders
  expectUnharmed(): void
  close(): void
}

const listening = (server: Server): number => (server.address() as { port: number }).port

/** Without those that other tests create at the same time. */
const listMounts = (): string[] =>
  readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter((line) => !line.startsWith('small-disk '))

/** Files, a process and sockets that must not be reached. */
const furnishMachine = async (): Promise<Machine> => {
  const secret = makeHostSecret()
  let visitors = 0
  const door = createServer((_, response) => {
    visitors += 1
    response.end(SECRET)
  })
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  const hidden = createUnixServer((socket) => {
    visitors += 1
    socket.end(SECRET)
  })
  await new Promise<void>((resolve) => hidden.listen(`\0${ABSTRACT}`, resolve))
  const victim: ChildProcess = spawn('sleep', ['100000'], { env: { ...process.env, HOSTILE_CANARY: SECRET } })
  const name = hostname()
  const mounts = listMounts()
  return {
    places: {
      HOST_FILE: join(secret.folder, 'secret'),
      HOST_PID: victim.pid!,
      OTHER_PORT: listening(door),
      ABSTRACT,
      REPOSITORY: join(import.meta.dirname, '..', '..'),
    },
    expectUnharmed() {
      secret.expectUntouched()
      expect(visitors).toBe(0)
      expect(victim.exitCode ?? victim.signalCode).toBeNull()
      expect(hostname()).toBe(name)
      expect(listMounts()).toEqual(mounts)
    },
    close() {
      victim.kill('SIGKILL')
      door.close()
      hidden.close()
      secret.remove()
    },
  }
}

export const sandboxFolders = (): string[] =>
  readdirSync('/dev/shm').filter((name) => new RegExp(`^remedium-sandbox-\\d+-${process.pid}-`).test(name))

const isRunning = async (api: KubeApi, namespace: string): Promise<void> => {
  const { items } = await api.list(of('v1', 'pods', namespace))
  expect(items.map(({ status }) => (status as { phase: string }).phase)).toEqual(['Running'])
}

const fill = async (cluster: EngineCluster, closing: (() => unknown)[]): Promise<Arena> => {
  const system = await loadSystem('simple-micro')
  const machine = await furnishMachine()
  closing.push(() => machine.close())
  const { api, server, connectSandbox } = cluster
  await createAgentAccounts(api, system.namespace)
  await furnish(api, system.namespace)
  const { kubeconfig } = await openAgentAccess(cluster, system.namespace, 'mitigation')
  const sandbox = await createSandbox({
    server,
    dial: connectSandbox,
    tools: { kubectl: kubectls().at(-1)!.path },
  })
  closing.push(() => sandbox.close())
  const [node] = (await api.list(of('v1', 'nodes'))).items
  for (const namespace of [NEIGHBOUR, LABORATORY])
    await vi.waitFor(() => isRunning(api, namespace), { timeout: 60_000, interval: 200 })
  const before = await stateOf(api)
  return {
    cluster,
    sandbox,
    kubeconfig,
    runner: createPlaybookRunner({ sandbox, kubeconfig, namespace: system.namespace }),
    places: {
      ...machine.places,
      SYSTEM: system.namespace,
      NODE: node!.metadata.name,
      API_PORT: new URL(server).port,
    },
    async expectUnharmed() {
      machine.expectUnharmed()
      expect(await stateOf(api)).toEqual(before)
    },
    async close() {
      for (const close of closing.toReversed()) await close()
    },
  }
}

export const createArena = async (): Promise<Arena> => {
  const cluster = await createLocalEngine().provision(await loadSystem('simple-micro'))
  const closing: (() => unknown)[] = [() => cluster.close()]
  try {
    return await fill(cluster, closing)
  } catch (error) {
    for (const close of closing.toReversed()) await close()
    throw error
  }
}
