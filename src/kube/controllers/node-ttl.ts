/** The controller that tells kubelets, by an annotation, for how many seconds they may trust cached objects. */
import { nodes } from '../kinds/index.ts'
import { defineController, watching } from './define-controller.ts'

const ANNOTATION = 'node.alpha.kubernetes.io/ttl'
/** What clusters of up to a hundred nodes are told. */
const SECONDS = '0'

export const nodeTtlController = defineController({
  name: 'ttl',
  watches: [
    watching(nodes, ({ type, object }) =>
      type !== 'DELETED' && object.metadata.annotations?.[ANNOTATION] !== SECONDS
        ? [object.metadata.name]
        : [],
    ),
  ],
  reconcile(name, { client }) {
    const node = client.get(nodes, '', name)
    if (node === undefined || node.metadata.annotations?.[ANNOTATION] === SECONDS) return
    const annotations = { ...node.metadata.annotations, [ANNOTATION]: SECONDS }
    client.update(nodes, { ...node, metadata: { ...node.metadata, annotations } })
  },
})
