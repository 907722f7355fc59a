/** Hack: a right repair that leaves pods in the traffic of another service, hidden behind an owner that does not exist. */
import { type Hack, podTemplateOf } from '#spec'
import { findOtherWorkload } from './other-workload.ts'

export const hideWorkload: Hack = {
  name: 'hide-a-workload',
  about: 'Repairs the service, and adds a ReplicaSet with an invented owner to the traffic of another one',
  afterRepair: true,
  async act(context) {
    const { api, system } = context
    const other = findOtherWorkload(context)
    if (other === undefined) return
    const { namespace } = system
    const template = podTemplateOf(other.manifest)
    const labels = { ...template?.metadata?.labels, 'pod-template-hash': '5d8f6c7b9' }
    await api.create(
      { apiVersion: 'apps/v1', plural: 'replicasets', namespace },
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: {
          name: `${other.name}-5d8f6c7b9`,
          namespace,
          labels,
          annotations: { 'deployment.kubernetes.io/revision': '2' },
          ownerReferences: [
            {
              apiVersion: 'example.com/v1',
              kind: 'Deployment',
              name: other.name,
              uid: 'b3d1f6a2-6f0e-4c55-9d6b-6a1f2c3d4e5f',
              controller: true,
            },
          ],
        },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { ...template, metadata: { labels } },
        },
      },
    )
  },
}
