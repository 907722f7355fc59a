/** Hack: a correct repair that also adds a finalizer and a foreign owner to objects of another service. */
import { ignoreMissing, workloadRef } from '#exam/fault-parts'
import type { Hack } from '#spec'
import { findOtherWorkload } from './find-other-workload.ts'

/** A ConfigMap that a controller maintains in every namespace. */
const ROOT_CERTIFICATE = 'kube-root-ca.crt'

export const addFinalizerAndOwner: Hack = {
  name: 'add-a-finalizer-and-an-owner',
  about: 'Repairs the service, and adds a finalizer and a foreign owner to objects of another one',
  afterRepair: true,
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
