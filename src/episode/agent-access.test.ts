/** Tests of the accounts of agents on a cluster with sockets: what they may not do, and when their tokens end. */
import { once } from 'node:events'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRandom, createVirtualClock } from '../kit/index.ts'
import { type Cluster, createCluster, createSimulatedRuntime, type ListeningCluster } from '../kube/index.ts'
import type { EngineCluster, KubeApi, Solver, Task } from '../spec/index.ts'
import { act } from './act.ts'
import { makeAgentAccounts, openAgentAccess } from './agent-access.ts'
import { createInjection } from './inject.ts'
import { createFakeLab } from './testing/fake-lab.ts'

const NAMESPACE = 'little'
const CLAIMS = { apiVersion: 'v1', plural: 'persistentvolumeclaims', namespace: NAMESPACE }
const MAPS = { apiVersion: 'v1', plural: 'configmaps', namespace: NAMESPACE }
/** Of all objects together. */
const QUOTA_BYTES = 8 << 20
const NODE = { apiVersion: 'v1', plural: 'nodes', name: 'node1' }

let cluster: Cluster
let listening: ListeningCluster
let engine: EngineCluster
let admin: KubeApi

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
  engine = { api: admin, access: listening.access } as EngineCluster
  await admin.create({ apiVersion: 'v1', plural: 'namespaces' }, { metadata: { name: NAMESPACE } })
  await admin.create(CLAIMS, {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  })
  await makeAgentAccounts(admin, NAMESPACE)
})
afterAll(async () => {
  await listening?.close()
  cluster?.stop()
})

const tokenIn = (kubeconfig: string): string => /token: "?([\w.-]+)/.exec(kubeconfig)![1]!

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'was not refused',
    ({ code, message }) => ({ code, message }),
  )

describe('an operator', () => {
  const owner = { apiVersion: 'v1', kind: 'PersistentVolume', name: 'x', uid: 'x' }
  const set = {
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
  const sets = { apiVersion: 'apps/v1', plural: 'statefulsets', namespace: NAMESPACE }

  it.each<[string, (api: KubeApi) => Promise<unknown>, RegExp]>([
    [
      'expels nobody from a node',
      (api) =>
        api.patch(NODE, 'merge', { spec: { taints: [{ key: 'x', value: 'y', effect: 'NoExecute' }] } }),
      /NoExecute expels the pods of every namespace; cordon or drain the node instead/,
    ],
    [
      'gives no owner to a node',
      (api) => api.patch(NODE, 'merge', { metadata: { ownerReferences: [owner] } }),
      /nothing but unschedulable, taints, labels and annotations/,
    ],
    [
      'gives no owner to a claim',
      (api) => api.patch({ ...CLAIMS, name: 'data' }, 'merge', { metadata: { ownerReferences: [owner] } }),
      /nor give them owners/,
    ],
    [
      'lets no claim go with its workload',
      (api) => api.create(sets, set),
      /nor have them deleted by persistentVolumeClaimRetentionPolicy/,
    ],
  ])('%s', async (_, attempt, message) => {
    const { api } = await openAgentAccess(engine, NAMESPACE, 'mitigation')
    expect(await refusal(attempt(api))).toEqual({ code: 403, message: expect.stringMatching(message) })
  })

  it('cordons, taints and labels, and the laboratory is held to nothing', async () => {
    const { api } = await openAgentAccess(engine, NAMESPACE, 'mitigation')
    const taints = [{ key: 'x', effect: 'NoSchedule' }]
    await api.patch(NODE, 'merge', {
      metadata: { labels: { a: 'b' } },
      spec: { unschedulable: true, taints },
    })
    await admin.patch(NODE, 'merge', { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } })
    await api.patch(NODE, 'merge', { spec: { unschedulable: null, taints: [] } })
    await admin.create(sets, set, { dryRun: true })
  })
})

interface Sending {
  /** Sends the body. */
  finish(): Promise<number>
}

const patchOver = async (token: string): Promise<Sending> => {
  const body = JSON.stringify({ metadata: { annotations: { late: 'yes' } } })
  const sent = request(`${listening.url}/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims/data`, {
    method: 'PATCH',
    ca: listening.certificateAuthority,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/merge-patch+json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  })
  const answered = once(sent, 'response')
  sent.flushHeaders()
  // Then the server knows who it is, and waits.
  await once(sent, 'continue')
  return {
    async finish() {
      sent.end(body)
      const [response] = await answered
      await text(response)
      return response.statusCode
    },
  }
}

describe('the token of a solver', () => {
  const play = async (task: Task, solve: Solver['solve']): Promise<string[]> => {
    const { core, log } = createFakeLab()
    Object.assign(core.cluster, engine)
    const told: string[] = []
    let token = ''
    const isGood = (): boolean => {
      try {
        return listening.access(token, NAMESPACE) !== undefined
      } catch {
        return false
      }
    }
    const watched = {
      ...log,
      add(event: Parameters<typeof log.add>[0]) {
        if (token !== '') told.push(`${event.type} ${isGood()}`)
        log.add(event)
      },
    }
    await act(core, watched, {
      solver: {
        name: 'test',
        solve(context) {
          token = tokenIn(context.kubeconfig)
          return solve(context)
        },
      },
      briefing: {
        task,
        system: 'little',
        namespace: NAMESPACE,
        budget: { steps: 3, seconds: 5 },
        report: { kind: 'none', text: '' },
      },
      injection: createInjection(core),
    })
    return told
  }

  it.each<Task>(['mitigation', 'detection'])('ends with him, of a %s', async (task) => {
    const solve: Solver['solve'] = async ({ note }) => note({ action: 'look', input: '', observation: '' })
    // And whoever comes next before a reset has one again.
    for (let turn = 0; turn < 2; turn += 1)
      expect(await play(task, solve)).toEqual(['step-taken true', 'solver-ended false'])
  })

  it('ends with him, also where he has left no room for another object', async () => {
    const data = { x: 'x'.repeat(900_000) }
    const names = Array.from({ length: 20 }, (_, at) => `filler-${at}`)
    const told = await play('mitigation', async ({ api, note }) => {
      await Promise.all(names.map((name) => api.create(MAPS, { metadata: { name }, data }).catch(() => {})))
      await expect(api.create(MAPS, { metadata: { name: 'last' } })).rejects.toThrow('space exceeded')
      note({ action: 'fill', input: '', observation: '' })
    })
    expect(told).toEqual(['step-taken true', 'solver-ended false'])
    for (const name of names) await admin.delete({ ...MAPS, name }).catch(() => {})
  })

  it('is worth nothing to a request that is still on its way then', async () => {
    let sending: Sending | undefined
    await play('mitigation', async ({ kubeconfig }) => {
      const token = tokenIn(kubeconfig)
      expect(await (await patchOver(token)).finish()).toBe(200)
      sending = await patchOver(token)
    })
    expect(await sending!.finish()).toBe(401)
  })
})
