/** Creates a pod with a running status, for tests. */
import type { Pod, PodSpec, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'

export const runningStatus = (name: string) => ({
  name,
  image: 'i',
  imageID: '',
  ready: true,
  restartCount: 0,
  state: { running: {} },
})

/** Creates the pod `p` with the running container `c` on `node1`. */
export const runPod = (
  client: Client,
  spec: Partial<PodSpec> = {},
  status: Partial<PodStatus> = {},
): Stored<Pod> => {
  const containers = [{ name: 'c', image: 'i' }]
  client.create(pods, { metadata: { name: 'p', namespace: 'default' }, spec: { containers, ...spec } })
  client.bind('default', 'p', 'node1')
  const pod = client.get(pods, 'default', 'p')!
  return client.updateStatus(pods, {
    ...pod,
    status: { phase: 'Running', containerStatuses: [runningStatus('c')], ...status },
  })
}
