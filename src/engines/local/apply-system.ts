/** Puts a system on a cluster: its namespace and its objects, in the order in which it lists them. */
import type { Client, KubeObject } from '../../kube/index.ts'
import { namespaces } from '../../kube/index.ts'
import { RemediumError, type System } from '../../spec/index.ts'

export const applySystem = (client: Client, { name, namespace, manifests }: System): void => {
  if (client.get(namespaces, '', namespace) === undefined)
    client.create(namespaces, { metadata: { name: namespace } })
  for (const manifest of manifests) {
    const { apiVersion, kind: kindName, metadata } = manifest as KubeObject
    const kind = client.kindOf(apiVersion, kindName)
    if (kind === undefined) {
      throw new RemediumError(
        'defect',
        `The system ${name} has a ${kindName} of ${apiVersion}, which is not served.`,
      )
    }
    const place = kind.namespaced ? { namespace: metadata.namespace ?? namespace } : {}
    // Whoever makes an object may change the draft, and the manifests are used again.
    client.create(kind, structuredClone({ ...manifest, metadata: { ...metadata, ...place } }))
  }
}
