/** The TTL controller: annotates nodes with the number of seconds for which kubelets may cache objects. */
import { nodes } from '#platform/kube/kinds'
import { defineController, watching } from '../define-controller.ts'

const ANNOTATION = 'node.alpha.kubernetes.io/ttl'
/** The value for clusters of up to 100 nodes. */
const TTL_SECONDS = '0'

export const nodeTtlController = defineController({
  name: 'ttl',
  watches: [
    watching(nodes, ({ type, object }) =>
      type !== 'DELETED' && object.metadata.annotations?.[ANNOTATION] !== TTL_SECONDS
        ? [object.metadata.name]
        : [],
    ),
  ],
  reconcile(name, { client }) {
    const node = client.get(nodes, '', name)
    if (node === undefined || node.metadata.annotations?.[ANNOTATION] === TTL_SECONDS) return
    const annotations = { ...node.metadata.annotations, [ANNOTATION]: TTL_SECONDS }
    client.update(nodes, { ...node, metadata: { ...node.metadata, annotations } })
  },
})
