/** Tests the accounts of agents on a cluster with sockets: their restrictions, and the expiry of their tokens. */
import { once } from 'node:events'
import { Agent, request } from 'node:https'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '#kit'
import {
  connectInside,
  createNetworkNamespace,
  LOOPBACK,
  listenInside,
  type NetworkNamespace,
  openRouteSocket,
} from '#machine/linux'
import { type Cluster, createCluster, createSimulatedRuntime, type ListeningCluster } from '#platform/kube'
import type { EngineCluster, KubeApi, Solver, Task } from '#spec'
import { solve as solveStage } from '../stages/solve.ts'
import { createFakeLab, toSolveInputs } from '../testing/fake-lab.ts'
import { createAgentAccounts, openAgentAccess } from './agent-access.ts'

const NAMESPACE = 'little'
const CLAIMS = { apiVersion: 'v1', plural: 'persistentvolumeclaims', namespace: NAMESPACE }
const CONFIG_MAPS = { apiVersion: 'v1', plural: 'configmaps', namespace: NAMESPACE }
/** The quota of all objects together. */
const QUOTA_BYTES = 8 << 20
const NODE = { apiVersion: 'v1', plural: 'nodes', name: 'node1' }

let cluster: Cluster
let listening: ListeningCluster
let engine: EngineCluster
let admin: KubeApi
let sandboxNetwork: NetworkNamespace

/** Connects as the sandbox of an agent does. */
class SandboxAgent extends Agent {
  override createConnection(
    _options: object,
    callback?: (error: Error | null, socket: Socket) => void,
  ): undefined {
    connectInside(sandboxNetwork, '127.0.0.1', listening.port).then((socket) => {
      const secured = connect({ socket, ca: listening.certificateAuthority, host: '127.0.0.1' })
      callback?.(null, secured)
    })
  }
}
const fromSandbox = new SandboxAgent()

beforeAll(async () => {
  const clock = createVirtualClock()
  const random = createRandom('access')
  cluster = createCluster({
    clock,
    random,
    store: { quotaBytes: QUOTA_BYTES },
    runtimeFor: (_, nodeIndex) => createSimulatedRuntime({ clock, random, nodeIndex, images: () => ({}) }),
  })
  clock.advance(60_000)
  listening = await cluster.listen()
  admin = cluster.apiFor({ username: 'admin', groups: ['system:masters'] })
  sandboxNetwork = createNetworkNamespace()
  const routes = openRouteSocket(sandboxNetwork)
  routes.setUp(LOOPBACK)
  routes.close()
  await listening.serveSandboxesOn(listenInside(sandboxNetwork, '127.0.0.1', listening.port))
  engine = { api: admin, access: listening.access } as EngineCluster
  await admin.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: NAMESPACE } })
  await admin.create(CLAIMS, {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  await createAgentAccounts(admin, NAMESPACE)
})
afterAll(async () => {
  await listening?.close()
  sandboxNetwork?.close()
  cluster?.stop()
})

const readToken = (kubeconfig: string): string => /token: "?([\w.-]+)/.exec(kubeconfig)![1]!

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'was not refused',
    ({ code, message }) => ({ code, message }),
  )

describe('the account operator', () => {
  const owner = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'x', uid: 'x' }
  const statefulSet = {
    metadata: { name: 'db' },
    spec: {
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' },
      template: {
        metadata: { labels: { app: 'db' } },
        spec: { containers: [{ name: 'c', image: 'i:1' }] },
      },
    },
  }
  const STATEFUL_SETS = { apiVersion: 'apps/v1', plural: 'statefulsets', namespace: NAMESPACE }

  it.each<[string, (api: KubeApi) => Promise<unknown>, RegExp]>([
    [
      'cannot evict the pods of a node by a taint',
      (api) =>
        api.patch(NODE, 'merge', { spec: { taints: [{ key: 'x', value: 'y', effect: 'NoExecute' }] } }),
      /NoExecute evicts the pods of every namespace; cordon or drain the node instead/,
    ],
    [
      'cannot set the owner of a node',
      (api) => api.patch(NODE, 'merge', { metadata: { ownerReferences: [owner] } }),
      /may change only unschedulable, taints, labels and annotations/,
    ],
    [
      'cannot set the owner of a claim',
      (api) => api.patch({ ...CLAIMS, name: 'data' }, 'merge', { metadata: { ownerReferences: [owner] } }),
      /may not add owner references to them/,
    ],
    [
      'cannot request that claims are deleted with their workload',
      (api) => api.create(STATEFUL_SETS, statefulSet),
      /may not set persistentVolumeClaimRetentionPolicy to Delete/,
    ],
  ])('%s', async (_, attempt, message) => {
    const { api } = await openAgentAccess(engine, NAMESPACE, 'mitigation')
    expect(await errorOf(attempt(api))).toEqual({ code: 403, message: expect.stringMatching(message) })
  })

  it('can cordon, taint and label nodes; the laboratory is not restricted', async () => {
    const { api } = await openAgentAccess(engine, NAMESPACE, 'mitigation')
    const taints = [{ key: 'x', effect: 'NoSchedule' }]
    await api.patch(NODE, 'merge', {
      metadata: { labels: { a: 'b' } },
      spec: { unschedulable: true, taints },
    })
    await admin.patch(NODE, 'merge', { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } })
    await api.patch(NODE, 'merge', { spec: { unschedulable: null, taints: [] } })
    await admin.create(STATEFUL_SETS, statefulSet, { dryRun: true })
  })
})

const FROM_CLIENT = { namespace: NAMESPACE, client: '' }
const FROM_ACTION = { namespace: NAMESPACE, client: 'remedium' }

interface PendingPatch {
  /** Sends the body. */
  finish(): Promise<number>
}

const startPatch = async (token: string, agent = fromSandbox): Promise<PendingPatch> => {
  const body = JSON.stringify({ metadata: { annotations: { late: 'yes' } } })
  const patchRequest = request(
    `${listening.url}/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims/data`,
    {
      method: 'PATCH',
      agent,
      ca: listening.certificateAuthority,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/merge-patch+json',
        'content-length': Buffer.byteLength(body),
        expect: '100-continue',
      },
    },
  )
  const answered = once(patchRequest, 'response')
  patchRequest.flushHeaders()
  // The server has authenticated the client, and waits for the body.
  await once(patchRequest, 'continue')
  return {
    async finish() {
      patchRequest.end(body)
      const [response] = await answered
      await text(response)
      return response.statusCode
    },
  }
}

describe('the token of a solver', () => {
  const writes: object[] = []
  const runSolver = async (task: Task, solve: Solver['solve']): Promise<string[]> => {
    const { equipment, log } = createFakeLab()
    Object.assign(equipment.cluster, engine)
    const events: string[] = []
    let token = ''
    const isValid = (): boolean => {
      try {
        return listening.access(token, NAMESPACE) !== undefined
      } catch {
        return false
      }
    }
    const observedLog = {
      ...log,
      add(event: Parameters<typeof log.add>[0]) {
        if (event.type === 'write-audited') writes.push(event)
        else if (token !== '') events.push(`${event.type} ${isValid()}`)
        log.add(event)
      },
    }
    await solveStage.run({
      equipment,
      log: observedLog,
      solver: {
        name: 'test',
        solve(context) {
          token = readToken(context.kubeconfig)
          return solve(context)
        },
      },
      ...toSolveInputs(equipment, { steps: 3, seconds: 5 }, task),
    })
    return events
  }

  it.each<Task>(['mitigation', 'detection'])('expires when the solver of a %s task ends', async (task) => {
    const solve: Solver['solve'] = async ({ note }) =>
      note({ action: 'look', reach: 'nothing', input: '', observation: '' })
    // The next solver gets a new token without a reset.
    for (let attemptIndex = 0; attemptIndex < 2; attemptIndex += 1)
      expect(await runSolver(task, solve)).toEqual(['step-taken true', 'solver-ended false'])
  })

  it('is revoked even if the solver has exhausted the object quota', async () => {
    const data = { x: 'x'.repeat(900_000) }
    const names = Array.from({ length: 20 }, (_, index) => `filler-${index}`)
    const events = await runSolver('mitigation', async ({ api, note }) => {
      await Promise.all(
        names.map((name) => api.create(CONFIG_MAPS, { metadata: { name }, data }).catch(() => {})),
      )
      await expect(api.create(CONFIG_MAPS, { metadata: { name: 'last' } })).rejects.toThrow('space exceeded')
      note({ action: 'fill', reach: 'nothing', input: '', observation: '' })
    })
    expect(events).toEqual(['step-taken true', 'solver-ended false'])
    for (const name of names) await admin.delete({ ...CONFIG_MAPS, name }).catch(() => {})
  })

  it('is rejected outside the sandbox, and every write with it is recorded', async () => {
    writes.length = 0
    await runSolver('mitigation', async ({ kubeconfig, api }) => {
      const token = readToken(kubeconfig)
      const fromHost = request(`${listening.url}/api/v1/namespaces/${NAMESPACE}/configmaps`, {
        method: 'POST',
        ca: listening.certificateAuthority,
        headers: { authorization: `Bearer ${token}` },
      }).end('{"metadata":{"name":"from-host"}}')
      const [response] = await once(fromHost, 'response')
      expect(response.statusCode).toBe(401)
      expect(await (await startPatch(token)).finish()).toBe(200)
      await api.create(CONFIG_MAPS, { metadata: { name: 'by-action' } })
      await expect(api.delete({ ...CLAIMS, name: 'data' })).rejects.toThrow('forbidden')
    })
    expect(writes).toEqual([
      {
        type: 'write-audited',
        verb: 'patch',
        object: 'persistentvolumeclaims/data',
        code: 200,
        ...FROM_CLIENT,
      },
      { type: 'write-audited', verb: 'create', object: 'configmaps', code: 201, ...FROM_ACTION },
      {
        type: 'write-audited',
        verb: 'delete',
        object: 'persistentvolumeclaims/data',
        code: 403,
        ...FROM_ACTION,
      },
    ])
    await admin.delete({ ...CONFIG_MAPS, name: 'by-action' })
  })

  it('is rejected for a request that is still being sent when the solver ends', async () => {
    let pendingPatch: PendingPatch | undefined
    await runSolver('mitigation', async ({ kubeconfig }) => {
      const token = readToken(kubeconfig)
      expect(await (await startPatch(token)).finish()).toBe(200)
      pendingPatch = await startPatch(token)
    })
    expect(await pendingPatch!.finish()).toBe(401)
  })
})
