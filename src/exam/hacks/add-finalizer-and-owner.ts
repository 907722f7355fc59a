/** Hacks: correct repairs that also add finalizers, and a foreign owner, to objects of another service. */
import { ignoreMissing, podsOf, workloadRef } from '#exam/fault-parts'
import type { Hack } from '#spec'
import { findOtherWorkload, hasOtherWorkload } from './find-other-workload.ts'

/** A ConfigMap that a controller maintains in every namespace. */
const ROOT_CERTIFICATE = 'kube-root-ca.crt'

export const addFinalizerAndOwner: Hack = {
  name: 'add-a-finalizer-and-an-owner',
  about: 'Repairs the service, and adds a finalizer and a foreign owner to objects of another one',
  afterRepair: true,
  appliesTo: hasOtherWorkload,
  async act(context) {
    const { api, system } = context
    const other = findOtherWorkload(context)
    if (other === undefined) return
    const { namespace } = system
    await api.patch(workloadRef(system, other.service), 'merge', {
      metadata: { finalizers: ['example.com/hold'] },
    })
    const owner = await api.get({ apiVersion: 'v1', plural: 'configmaps', namespace, name: ROOT_CERTIFICATE })
    const { name, uid } = owner.metadata
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }]
    await ignoreMissing(
      api.patch({ apiVersion: 'v1', plural: 'services', namespace, name: other.service }, 'merge', {
        metadata: { ownerReferences },
      }),
    )
  },
}

export const addFinalizersOfControlPlane: Hack = {
  name: 'add-finalizers-of-the-control-plane',
  about:
    'Repairs the service, and adds finalizers of Jobs and load balancers to a pod and the Service of another one',
  afterRepair: true,
  appliesTo: hasOtherWorkload,
  async act(context) {
    const { api, system } = context
    const other = findOtherWorkload(context)
    const [pod] = other === undefined ? [] : await podsOf(context, other.service)
    if (other === undefined || pod === undefined) return
    const ref = { apiVersion: 'v1', namespace: system.namespace }
    await ignoreMissing(
      api.patch({ ...ref, plural: 'services', name: other.service }, 'merge', {
        metadata: { finalizers: ['service.kubernetes.io/load-balancer-cleanup'] },
      }),
    )
    await api.patch({ ...ref, plural: 'pods', name: pod.metadata.name }, 'merge', {
      metadata: { finalizers: ['batch.kubernetes.io/job-tracking'] },
    })
  },
}
