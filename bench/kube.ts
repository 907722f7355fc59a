/** The goals of the embedded Kubernetes: start, memory, throughput, tables and watches, seen by real clients. */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { findKubectls } from '../src/cli/index.ts'
import { type ApiClient, createApiClient } from './kube-parts/api-client.ts'
import { type ClusterProcess, startCluster } from './kube-parts/cluster-process.ts'
import { deploymentOf, trainTicketDeployments } from './kube-parts/train-ticket.ts'
import { readyIn } from './kube-parts/virtual-cluster.ts'
import { type Goal, median, printGoals } from './measure/goals.ts'

const ROOT = join(import.meta.dirname, '..')
const NODES = 6
const APPS = '/apis/apps/v1/namespaces/default/deployments'
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }

const kubectl =
  findKubectls(ROOT).find(({ version }) => version.startsWith('1.32')) ?? findKubectls(ROOT).at(-1)
if (kubectl === undefined) throw new Error('no kubectl on this machine: ./remedium test fetches one')

/** From the start of the process to the first answer that kubectl prints. */
const timeStart = async (): Promise<number> => {
  const started = performance.now()
  const cluster = await startCluster(3)
  try {
    const answer = spawnSync(kubectl.path, ['--kubeconfig', cluster.kubeconfig, 'get', 'namespaces'], {
      env: { ...process.env, HOME: dirname(cluster.kubeconfig) },
    })
    const took = performance.now() - started
    if (answer.status !== 0) throw new Error(answer.stderr.toString())
    return took
  } finally {
    await cluster.stop()
  }
}

const untilReady = async (client: ApiClient, name: string, replicas: number): Promise<void> => {
  for (;;) {
    const { status } = JSON.parse(await client.send('GET', `${APPS}/${name}`)) as {
      status: { readyReplicas?: number }
    }
    if (status.readyReplicas === replicas) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Requests a second with `parallel` connections, for `seconds`. */
const throughput = async (
  parallel: number,
  seconds: number,
  work: (turn: number) => Promise<unknown>,
): Promise<number> => {
  let done = 0
  const started = performance.now()
  const end = started + seconds * 1000
  await Promise.all(
    Array.from({ length: parallel }, async (_, lane) => {
      for (let turn = lane; performance.now() < end; turn += parallel) {
        await work(turn)
        done += 1
      }
    }),
  )
  return done / ((performance.now() - started) / 1000)
}

const patchBody = (turn: number): object => ({
  metadata: { annotations: { turn: String(turn) } },
  spec: { template: { spec: { containers: [{ name: 'c', env: [{ name: 'TURN', value: 'x' }] }] } } },
})

/** Milliseconds from the patch until the slowest of `count` watchers has seen it. */
const watchDelay = async (cluster: ClusterProcess, client: ApiClient, count: number): Promise<number> => {
  const watchers = createApiClient(cluster, count)
  const path = '/api/v1/namespaces/default/configmaps?watch=true&fieldSelector=metadata.name%3Dtick'
  await client.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'tick' } })
  let seen: (() => void) | undefined
  const stops = await Promise.all(
    Array.from({ length: count }, () =>
      watchers.watch(path, (line) => line.includes('"MODIFIED"') && seen?.()),
    ),
  )
  const delays: number[] = []
  for (let round = 0; round < 21; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    let left = count
    const started = performance.now()
    const all = new Promise<number>((resolve) => {
      seen = () => {
        left -= 1
        if (left === 0) resolve(performance.now() - started)
      }
    })
    const patch = { data: { round: String(round) } }
    const type = { 'content-type': 'application/merge-patch+json' }
    await client.send('PATCH', '/api/v1/namespaces/default/configmaps/tick', patch, type)
    delays.push(await all)
  }
  for (const stop of stops) stop()
  await watchers.close()
  return median(delays)
}

const timeTable = async (client: ApiClient): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < 15; round += 1) {
    const started = performance.now()
    const text = await client.send('GET', '/api/v1/namespaces/default/pods?limit=500', undefined, TABLE)
    times.push(performance.now() - started)
    const { rows } = JSON.parse(text) as { rows: unknown[] }
    if (rows.length !== 500) throw new Error(`a table of ${rows.length} rows instead of 500`)
  }
  return median(times)
}

const goals: Goal[] = []
const virtual = [readyIn('a'), readyIn('a'), readyIn('a'), readyIn('a'), readyIn('a')]
goals.push({
  what: '50 Deployments Ready in process, virtual clock',
  measured: median(virtual),
  unit: 'ms',
  atMost: 150,
})
await timeStart() // fills the compile cache, as any earlier use has done
const starts = [await timeStart(), await timeStart(), await timeStart(), await timeStart(), await timeStart()]
goals.push({
  what: 'process start to first answered kubectl get',
  measured: median(starts),
  unit: 'ms',
  atMost: 500,
})

const cluster = await startCluster(NODES)
const client = createApiClient(cluster, 16)
try {
  for (const deployment of trainTicketDeployments()) await client.send('POST', APPS, deployment)
  for (const { metadata } of trainTicketDeployments()) await untilReady(client, metadata.name, 1)
  goals.push({
    what: 'resident memory with 50 Deployments',
    measured: cluster.resident(),
    unit: 'MB',
    atMost: 150,
  })

  await client.send('POST', APPS, deploymentOf('target', 'busybox:1', 0))
  const one = `${APPS}/target`
  const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
  await throughput(16, 1, () => client.send('GET', one))
  goals.push({
    what: 'GET of one Deployment, 16 connections',
    measured: await throughput(16, 4, () => client.send('GET', one)),
    unit: '/s',
    atLeast: 3000,
  })
  await throughput(16, 1, (turn) => client.send('PATCH', one, patchBody(turn), strategic))
  goals.push({
    what: 'strategic patches of one Deployment, 16 connections',
    measured: await throughput(16, 4, (turn) =>
      client.send('PATCH', one, patchBody(turn + 1_000_000), strategic),
    ),
    unit: '/s',
    atLeast: 1000,
  })
  const bulk = 500 - trainTicketDeployments().length
  await client.send('POST', APPS, deploymentOf('bulk', 'busybox:1', bulk))
  await untilReady(client, 'bulk', bulk)
  goals.push({ what: 'Table list of 500 pods', measured: await timeTable(client), unit: 'ms', atMost: 25 })
  goals.push({
    what: 'an event at 100 watchers (the slowest, median of 21)',
    measured: await watchDelay(cluster, client, 100),
    unit: 'ms',
    atMost: 10,
  })
} finally {
  await client.close()
  await cluster.stop()
}
process.exitCode = printGoals(goals)
