/** The program of a process that holds a cluster with pods, faults and load in it, until it is told or killed. */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLocalEngine } from '../../../src/engines/local/index.ts'
import { noteOutsideFile } from '../../../src/engines/local/machine/index.ts'
import { loadSystem } from '../../../src/systems/index.ts'

const CHAOS = 'chaos-mesh.org/v1alpha1'
const NAMESPACE = 'simple-micro'
const target = (app: string): object => ({
  mode: 'all',
  selector: { namespaces: [NAMESPACE], labelSelectors: { app } },
})

/** One of each kind that leaves something on a machine when it is not undone. */
const faults: [kind: string, plural: string, spec: object][] = [
  [
    'NetworkChaos',
    'networkchaos',
    { ...target('time-service'), action: 'delay', delay: { latency: '50ms' } },
  ],
  [
    'StressChaos',
    'stresschaos',
    {
      ...target('hello-service'),
      containerNames: ['hello-service'],
      stressors: { cpu: { workers: 1, load: 20 }, memory: { workers: 1, size: '16MiB' } },
    },
  ],
  [
    'IOChaos',
    'iochaos',
    {
      ...target('hello-service'),
      containerNames: ['hello-service'],
      action: 'latency',
      delay: '10ms',
      percent: 50,
      volumePath: '/var/log/mysql',
    },
  ],
  [
    'TimeChaos',
    'timechaos',
    { ...target('time-service'), containerNames: ['time-service'], timeOffset: '-5m' },
  ],
  ['DNSChaos', 'dnschaos', { ...target('hello-service'), action: 'error', patterns: ['example.*'] }],
]

const engine = createLocalEngine({ onError: (where, error) => console.error(where, error) })
const cluster = await engine.provision(await loadSystem('simple-micro'), { name: process.argv[2]! })
const kubeconfig = join(tmpdir(), `${cluster.id}.kubeconfig`)
noteOutsideFile(cluster.folder, kubeconfig, cluster.kubeconfig)
writeFileSync(kubeconfig, cluster.kubeconfig)

let loading = true
const load = async (url: string): Promise<void> => {
  while (loading)
    await fetch(url).then(
      (answer) => answer.text(),
      () => undefined,
    )
}
const lanes = cluster.entryPoints.flatMap(({ url }) => [load(url), load(url)])
for (const [kind, plural, spec] of faults)
  await cluster.api.create(
    { apiVersion: CHAOS, plural, namespace: NAMESPACE },
    { apiVersion: CHAOS, kind, metadata: { name: plural }, spec },
  )

process.on('message', async () => {
  loading = false
  await Promise.all(lanes)
  await cluster.close()
  process.disconnect()
})
process.send!('ready')
