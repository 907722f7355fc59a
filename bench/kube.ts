/** Measures the embedded Kubernetes as real clients use it: start, memory, throughput, tables and watches. */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { findKubectls } from '#lab/tools'
import { type ApiClient, createApiClient } from './kube-parts/api-client.ts'
import { type ClusterProcess, startCluster } from './kube-parts/cluster-process.ts'
import { measureThroughput } from './kube-parts/throughput.ts'
import { deploymentOf, trainTicketDeployments } from './kube-parts/train-ticket.ts'
import { timeVirtualCluster } from './kube-parts/virtual-cluster.ts'
import { measureWatchDelay } from './kube-parts/watch-delay.ts'
import { type Goal, median } from './measure/print-goals.ts'
import { runBench } from './measure/run-bench.ts'

const ROOT = join(import.meta.dirname, '..')
const NODES = 6
const CONNECTIONS = 16
const TABLE_ROUNDS = 15
const READY_POLL_MS = 50
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments'
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
const STRATEGIC_PATCH = { 'content-type': 'application/strategic-merge-patch+json' }

const findKubectl = (): string => {
  const found = findKubectls(ROOT)
  const kubectl = found.find(({ version }) => version.startsWith('1.32')) ?? found.at(-1)
  if (kubectl === undefined)
    throw new Error('no kubectl on this machine: run ./remedium test, which installs one')
  return kubectl.path
}

/** Milliseconds from the start of the process to the first answer that kubectl prints. */
const timeStart = async (kubectl: string): Promise<number> => {
  const started = performance.now()
  const cluster = await startCluster(3)
  try {
    const result = spawnSync(kubectl, ['--kubeconfig', cluster.kubeconfig, 'get', 'namespaces'], {
      env: { ...process.env, HOME: dirname(cluster.kubeconfig) },
    })
    const took = performance.now() - started
    if (result.status !== 0) throw new Error(result.stderr.toString())
    return took
  } finally {
    await cluster.stop()
  }
}

const measureStart = async (starts: number): Promise<Goal[]> => {
  const kubectl = findKubectl()
  const virtualTimes = Array.from({ length: starts }, () => timeVirtualCluster('a'))
  // The first start fills the compile cache and is not measured.
  await timeStart(kubectl)
  const times: number[] = []
  for (let start = 0; start < starts; start += 1) times.push(await timeStart(kubectl))
  return [
    {
      what: '50 Deployments ready, in-process cluster, virtual clock',
      measured: median(virtualTimes),
      unit: 'ms',
      atMost: 150,
    },
    {
      what: 'process start to first answered kubectl get',
      measured: median(times),
      unit: 'ms',
      atMost: 500,
    },
  ]
}

const waitUntilReady = async (client: ApiClient, name: string, replicas: number): Promise<void> => {
  for (;;) {
    const { status } = JSON.parse(await client.send('GET', `${DEPLOYMENTS}/${name}`)) as {
      status: { readyReplicas?: number }
    }
    if (status.readyReplicas === replicas) return
    await new Promise((resolve) => setTimeout(resolve, READY_POLL_MS))
  }
}

const patchBody = (turn: number): object => ({
  metadata: { annotations: { turn: String(turn) } },
  spec: { template: { spec: { containers: [{ name: 'c', env: [{ name: 'TURN', value: 'x' }] }] } } },
})

const measureRequests = async (client: ApiClient, seconds: number): Promise<Goal[]> => {
  await client.send('POST', DEPLOYMENTS, deploymentOf('target', 'busybox:1', 0))
  const path = `${DEPLOYMENTS}/target`
  const get = (): Promise<string> => client.send('GET', path)
  const patch = (turn: number): Promise<string> =>
    client.send('PATCH', path, patchBody(turn), STRATEGIC_PATCH)
  await measureThroughput(CONNECTIONS, seconds / 4, get)
  const gets = await measureThroughput(CONNECTIONS, seconds, get)
  await measureThroughput(CONNECTIONS, seconds / 4, patch)
  const patches = await measureThroughput(CONNECTIONS, seconds, (turn) => patch(turn + 1_000_000))
  return [
    {
      what: `GET of one Deployment, ${CONNECTIONS} connections`,
      measured: gets,
      unit: '/s',
      atLeast: 3000,
    },
    {
      what: `strategic patches of one Deployment, ${CONNECTIONS} connections`,
      measured: patches,
      unit: '/s',
      atLeast: 1000,
    },
  ]
}

const timeTable = async (client: ApiClient, pods: number): Promise<number> => {
  const times: number[] = []
  for (let round = 0; round < TABLE_ROUNDS; round += 1) {
    const started = performance.now()
    const text = await client.send('GET', `/api/v1/namespaces/default/pods?limit=${pods}`, undefined, TABLE)
    times.push(performance.now() - started)
    const { rows } = JSON.parse(text) as { rows: unknown[] }
    if (rows.length !== pods) throw new Error(`the table has ${rows.length} rows instead of ${pods}`)
  }
  return median(times)
}

interface Load {
  readonly seconds: number
  readonly pods: number
  readonly watchers: number
}

const measureCluster = async (
  cluster: ClusterProcess,
  client: ApiClient,
  { seconds, pods, watchers }: Load,
): Promise<Goal[]> => {
  const trainTicket = trainTicketDeployments()
  for (const deployment of trainTicket) await client.send('POST', DEPLOYMENTS, deployment)
  for (const { metadata } of trainTicket) await waitUntilReady(client, metadata.name, 1)
  const memory = cluster.residentMib()
  const requests = await measureRequests(client, seconds)
  const morePods = pods - trainTicket.length
  await client.send('POST', DEPLOYMENTS, deploymentOf('others', 'busybox:1', morePods))
  await waitUntilReady(client, 'others', morePods)
  return [
    { what: 'resident memory with 50 Deployments', measured: memory, unit: 'MiB', atMost: 150 },
    ...requests,
    { what: `Table list of ${pods} pods`, measured: await timeTable(client, pods), unit: 'ms', atMost: 25 },
    {
      what: `delay of an event at the slowest of ${watchers} watchers (median)`,
      measured: await measureWatchDelay(cluster, client, watchers),
      unit: 'ms',
      atMost: 10,
    },
  ]
}

await runBench({
  name: 'kube',
  about: 'Measures the embedded Kubernetes: start, memory, throughput, tables and watches.',
  options: {
    starts: { about: 'how many starts are timed', count: 5, quick: 1 },
    seconds: { about: 'how long each kind of request is repeated', count: 4, quick: 1 },
    pods: { about: 'how many pods the table lists, more than 50', count: 500, quick: 60 },
    watchers: { about: 'how many clients watch one object', count: 100, quick: 10 },
  },
  async measure({ values: { starts, ...load } }) {
    const startGoals = await measureStart(starts)
    const cluster = await startCluster(NODES)
    const client = createApiClient(cluster, CONNECTIONS)
    try {
      return [...startGoals, ...(await measureCluster(cluster, client, load))]
    } finally {
      await client.close()
      await cluster.stop()
    }
  },
})
