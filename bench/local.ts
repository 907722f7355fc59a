/** Measures the local engine: how soon real pods are Running and Ready, how long a reset and a close take, and its memory. */
import type { ResetReport } from '#spec'
import { type ApiClient, createApiClient, type ServerAccess } from './kube-parts/api-client.ts'
import { type EngineProcess, startEngine } from './local-parts/engine-process.ts'
import { IMAGE, NAMESPACE } from './local-parts/small-servers.ts'
import { type Goal, median } from './measure/print-goals.ts'
import { runBench } from './measure/run-bench.ts'

const PODS = '/api/v1/namespaces/default/pods'
const CHANGED_DEPLOYMENT = 'server-01'
const DEPLOYMENT_PATH = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/${CHANGED_DEPLOYMENT}`
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json' }
/** Time for the controllers to create the new pod of a changed Deployment. */
const ROLLOUT_MS = 1000

const podNamed = (name: string): object => ({
  metadata: { name },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'c', image: 'busybox:1.36', command: ['sleep', '1000'] }],
  },
})

/** Milliseconds from the request until the watch event with the phase Running. */
const timeToRunning = async (client: ApiClient, name: string): Promise<number> => {
  let resolveRunning: () => void
  const running = new Promise<void>((resolve) => {
    resolveRunning = resolve
  })
  const path = `${PODS}?watch=true&fieldSelector=metadata.name%3D${name}`
  const stop = await client.watch(path, (line) => {
    if (JSON.parse(line).object.status?.phase === 'Running') resolveRunning()
  })
  const started = performance.now()
  await client.send('POST', PODS, podNamed(name))
  await running
  const took = performance.now() - started
  stop()
  await client.send('DELETE', `${PODS}/${name}`)
  return took
}

const withEngine = async <T>(servers: number, measure: (engine: EngineProcess) => Promise<T>): Promise<T> => {
  const engine = startEngine(servers)
  try {
    return await measure(engine)
  } finally {
    await engine.stop()
  }
}

const measurePods = async (engine: EngineProcess, rounds: number): Promise<Goal[]> => {
  const { value } = await engine.run<ServerAccess>('start')
  const client = createApiClient(value, 4)
  await timeToRunning(client, 'warm-up')
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await timeToRunning(client, `pod-${round}`))
  await client.close()
  await engine.run('close')
  return [{ what: 'one pod, apply to Running (median)', measured: median(times), unit: 'ms', atMost: 150 }]
}

/** Throws unless the reset reverted the changed Deployment and nothing else. */
const checkReset = async (client: ApiClient, report: ResetReport): Promise<void> => {
  const { deleted, recreated, updated } = report
  const changes = { deleted, recreated, updated }
  const expected = { deleted: [], recreated: [], updated: [`Deployment ${NAMESPACE}/${CHANGED_DEPLOYMENT}`] }
  if (JSON.stringify(changes) !== JSON.stringify(expected))
    throw new Error(`the reset changed ${JSON.stringify(changes)}, expected ${JSON.stringify(expected)}`)
  const { spec, status } = JSON.parse(await client.send('GET', DEPLOYMENT_PATH))
  const { image } = spec.template.spec.containers[0]
  if (image !== IMAGE || status.readyReplicas !== 1)
    throw new Error(
      `after the reset ${CHANGED_DEPLOYMENT} has the image ${image} and ${status.readyReplicas} ready pods`,
    )
}

/** Changes the image of one Deployment to one that does not exist, and resets the cluster. */
const timeReset = async (engine: EngineProcess, client: ApiClient): Promise<number> => {
  const template = { spec: { containers: [{ name: 'server', image: `${IMAGE}m` }] } }
  await client.send('PATCH', DEPLOYMENT_PATH, { spec: { template } }, MERGE_PATCH)
  await new Promise((resolve) => setTimeout(resolve, ROLLOUT_MS))
  const { value, milliseconds } = await engine.run<ResetReport>('reset')
  await checkReset(client, value)
  return milliseconds
}

const measureServers = async (engine: EngineProcess, count: number): Promise<Goal[]> => {
  const start = await engine.run<ServerAccess>('startServers')
  const memory = engine.residentMib()
  const client = createApiClient(start.value, 4)
  const resetMs = await timeReset(engine, client)
  await client.close()
  const close = await engine.run('close')
  const toSecondsGoal = (what: string, ms: number, atMost: number): Goal => ({
    what,
    measured: ms / 1000,
    unit: 's',
    atMost,
  })
  return [
    toSecondsGoal(`cluster with ${count} pods, start to Ready`, start.milliseconds, 8),
    toSecondsGoal(`reset after a change to one of ${count} Deployments`, resetMs, 2),
    toSecondsGoal(`close with ${count} pods`, close.milliseconds, 3),
    { what: `memory of the engine with ${count} pods`, measured: memory, unit: 'MiB', atMost: 200 },
  ]
}

await runBench({
  name: 'local',
  about: 'Measures the local engine: pods, start, reset, close and memory.',
  options: {
    rounds: { about: 'how many single pods are timed', count: 15, quick: 2 },
    pods: { about: 'how many pods the large cluster has, at least 2', count: 50, quick: 4 },
  },
  measure: async ({ values: { rounds, pods } }) => [
    ...(await withEngine(pods, (engine) => measurePods(engine, rounds))),
    ...(await withEngine(pods, (engine) => measureServers(engine, pods))),
  ],
})
