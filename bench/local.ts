/** The goals of the local engine: how soon real pods run and are Ready, how soon all is as before, and gone. */
import { type ApiClient, createApiClient, type Served } from './kube-parts/api-client.ts'
import { type EngineProcess, startEngine } from './local-parts/engine-process.ts'
import { type Goal, median, printGoals } from './measure/goals.ts'

const PODS = '/api/v1/namespaces/default/pods'
const ROUNDS = 15
const MERGE = { 'content-type': 'application/merge-patch+json' }

const podNamed = (name: string): object => ({
  metadata: { name },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'c', image: 'busybox:1.36', command: ['sleep', '1000'] }],
  },
})

/** From the request to the event that says Running, in milliseconds. */
const timeToRunning = async (client: ApiClient, name: string): Promise<number> => {
  let running: () => void
  const seen = new Promise<void>((resolve) => {
    running = resolve
  })
  const path = `${PODS}?watch=true&fieldSelector=metadata.name%3D${name}`
  const stop = await client.watch(path, (line) => {
    if (JSON.parse(line).object.status?.phase === 'Running') running()
  })
  const started = performance.now()
  await client.send('POST', PODS, podNamed(name))
  await seen
  const took = performance.now() - started
  stop()
  await client.send('DELETE', `${PODS}/${name}`)
  return took
}

const withEngine = async (task: (engine: EngineProcess) => Promise<void>): Promise<void> => {
  const engine = startEngine()
  try {
    await task(engine)
  } finally {
    await engine.stop()
  }
}

const goals: Goal[] = []

await withEngine(async (engine) => {
  const { value } = await engine.order<Served>('start')
  const client = createApiClient(value, 4)
  await timeToRunning(client, 'warm-up')
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) times.push(await timeToRunning(client, `pod-${round}`))
  await client.close()
  await engine.order('close')
  const what = `one pod, apply to Running (median of ${ROUNDS})`
  goals.push({ what, measured: median(times), unit: 'ms', atMost: 150 })
})

await withEngine(async (engine) => {
  const { value, milliseconds } = await engine.order<Served>('startFifty')
  goals.push({
    what: 'cluster with 50 pods, start to Ready',
    measured: milliseconds / 1000,
    unit: 's',
    atMost: 8,
  })
  goals.push({
    what: 'resident memory of the engine, 50 pods',
    measured: engine.resident(),
    unit: 'MB',
    atMost: 200,
  })
  const client = createApiClient(value, 4)
  const path = '/apis/apps/v1/namespaces/fifty/deployments/server-07'
  const template = { spec: { containers: [{ name: 'server', image: 'node:24-slimm' }] } }
  await client.send('PATCH', path, { spec: { template } }, MERGE)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  await client.close()
  const reset = await engine.order<{ recreated: string[] }>('reset')
  if (reset.value.recreated.join() !== 'Deployment fifty/server-07') {
    throw new Error(`reset made anew ${reset.value.recreated.join(', ') || 'nothing'}`)
  }
  goals.push({
    what: 'reset after a change to one of the 50 Deployments',
    measured: reset.milliseconds / 1000,
    unit: 's',
    atMost: 2,
  })
  const close = await engine.order('close')
  goals.push({ what: 'close with 50 pods', measured: close.milliseconds / 1000, unit: 's', atMost: 3 })
})

process.exitCode = printGoals(goals)
