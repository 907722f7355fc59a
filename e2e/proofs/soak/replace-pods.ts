/** Replaces the pods of simple-micro repeatedly. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { LocalCluster } from '#platform/engines/local'
import { type ApiObject, isReady } from '#spec'

const NAMESPACE = 'simple-micro'
const DEPLOYMENTS = ['hello-service', 'time-service']
const REPLICAS = 5
const TIMEOUT_MS = 60_000
const POLL_MS = 20
const PODS = { apiVersion: 'v1', plural: 'pods', namespace: NAMESPACE }

/** Gives each Deployment several pods, which become ready without an initial delay. */
export const scaleUpSystem = async ({ api }: LocalCluster): Promise<void> => {
  for (const name of DEPLOYMENTS) {
    const deployment = { apiVersion: 'apps/v1', plural: 'deployments', namespace: NAMESPACE, name }
    const containers = [{ name, readinessProbe: { initialDelaySeconds: 0, periodSeconds: 1 } }]
    const spec = { replicas: REPLICAS, template: { spec: { containers } } }
    await api.patch(deployment, 'strategic', { spec })
  }
}

const isServing = (pod: ApiObject): boolean => pod.metadata.deletionTimestamp === undefined && isReady(pod)

/** Waits until exactly `REPLICAS` pods of each Deployment exist and all are ready. */
export const waitUntilReady = async ({ api }: LocalCluster): Promise<void> => {
  for (const deadline = performance.now() + TIMEOUT_MS; ; ) {
    const { items } = await api.list(PODS)
    if (items.length === DEPLOYMENTS.length * REPLICAS && items.every(isServing)) return
    if (performance.now() > deadline) {
      const unready = items.filter((pod) => !isServing(pod)).map(({ metadata }) => metadata.name)
      throw new Error(`of ${items.length} pods, these are not ready: ${unready.join(', ')}`)
    }
    await sleep(POLL_MS)
  }
}

/** Deletes all pods of the system, waits until the new ones are ready, and returns the number of deleted pods. */
const replaceAll = async (cluster: LocalCluster): Promise<number> => {
  const { api } = cluster
  const { items } = await api.list(PODS)
  for (const { metadata } of items)
    await api.delete({ ...PODS, name: metadata.name }, { gracePeriodSeconds: 0 })
  await waitUntilReady(cluster)
  return items.length
}

export const replacePods = async (cluster: LocalCluster, count: number): Promise<void> => {
  const started = performance.now()
  for (let done = 0; done < count; ) {
    done += await replaceAll(cluster)
    console.log(`${done} of ${count} pods replaced, ${Math.round((performance.now() - started) / 1000)} s`)
  }
}
