/** A pod that runs as far as the API can tell, for tests. */
import type { Pod, PodSpec, PodStatus } from 'kubernetes-types/core/v1.d.ts'
import { pods } from '../../kinds/index.ts'
import type { Stored } from '../../meta/index.ts'
import type { Client } from '../../ports/index.ts'

export const runningStatus = (name: string) => ({
  name,
  image: 'i',
  imageID: '',
  ready: true,
  restartCount: 0,
  state: { running: {} },
})

/** Makes the pod `p` with the running container `c` on `node1`. */
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
