/** A process that runs a cluster with pods, faults and load, until its parent sends a message or kills it. */
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { recordOutsideFile } from '#platform/engines/folders'
import { createLocalEngine } from '#platform/engines/local'
import { loadSystem } from '#world/systems'

const CHAOS = 'chaos-mesh.org/v1alpha1'
const NAMESPACE = 'simple-micro'
const selectPods = (app: string): object => ({
  mode: 'all',
  selector: { namespaces: [NAMESPACE], labelSelectors: { app } },
})

/** One fault of each kind that would leave changes on the machine if it were not reverted. */
const faults: [kind: string, plural: string, spec: object][] = [
  [
    'NetworkChaos',
    'networkchaos',
    { ...selectPods('time-service'), action: 'delay', delay: { latency: '50ms' } },
  ],
  [
    'StressChaos',
    'stresschaos',
    {
      ...selectPods('hello-service'),
      containerNames: ['hello-service'],
      stressors: { cpu: { workers: 1, load: 20 }, memory: { workers: 1, size: '16MiB' } },
    },
  ],
  [
    'IOChaos',
    'iochaos',
    {
      ...selectPods('hello-service'),
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
    { ...selectPods('time-service'), containerNames: ['time-service'], timeOffset: '-5m' },
  ],
  ['DNSChaos', 'dnschaos', { ...selectPods('hello-service'), action: 'error', patterns: ['example.*'] }],
]

const engine = createLocalEngine({ onError: (where, error) => console.error(where, error) })
const cluster = await engine.provision(await loadSystem('simple-micro'), { name: process.argv[2]! })
const kubeconfig = join(tmpdir(), `${cluster.id}.kubeconfig`)
recordOutsideFile(cluster.folder, kubeconfig, cluster.kubeconfig)
writeFileSync(kubeconfig, cluster.kubeconfig)

let keepsLoading = true
const sendLoad = async (url: string): Promise<void> => {
  while (keepsLoading)
    await fetch(url).then(
      (response) => response.text(),
      () => undefined,
    )
}
const loads = cluster.entryPoints.flatMap(({ url }) => [sendLoad(url), sendLoad(url)])
for (const [kind, plural, spec] of faults)
  await cluster.api.create(
    { apiVersion: CHAOS, plural, namespace: NAMESPACE },
    { apiVersion: CHAOS, kind, metadata: { name: plural }, spec },
  )

process.on('message', async () => {
  keepsLoading = false
  await Promise.all(loads)
  await cluster.close()
  process.disconnect()
})
process.send!('ready')
