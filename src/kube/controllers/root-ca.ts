/** The controller that publishes the certificate of the API server's authority in every namespace. */
import { configMaps, namespaces } from '../kinds/index.ts'
import { type Controller, defineController, watching } from './define-controller.ts'

const NAME = 'kube-root-ca.crt'
const DESCRIPTION = 'kubernetes.io/description'
const TEXT =
  'The certificates by which pods recognise the API server at its addresses inside the cluster, such as kubernetes.default.svc. Good for nothing else.'

/** `certificate` is the authority's, in PEM. */
export const createRootCaController = (certificate: string): Controller => {
  const data = { 'ca.crt': certificate }
  return defineController({
    name: 'root-ca-cert-publisher',
    user: 'system:serviceaccount:kube-system:root-ca-cert-publisher',
    watches: [
      watching(namespaces, ({ type, object }) => (type === 'DELETED' ? [] : [object.metadata.name])),
      watching(configMaps, ({ type, object }) =>
        type !== 'ADDED' && object.metadata.name === NAME ? [object.metadata.namespace ?? ''] : [],
      ),
    ],
    reconcile(namespace, { client }) {
      if (client.get(namespaces, '', namespace)?.status.phase !== 'Active') return
      const published = client.get(configMaps, namespace, NAME)
      if (published === undefined) {
        client.create(configMaps, {
          metadata: { name: NAME, namespace, annotations: { [DESCRIPTION]: TEXT } },
          data,
        })
        return
      }
      const annotations = published.metadata.annotations
      if (annotations?.[DESCRIPTION] !== undefined && published.data?.['ca.crt'] === certificate) {
        if (Object.keys(published.data).length === 1) return
      }
      client.update(configMaps, {
        ...published,
        metadata: { ...published.metadata, annotations: { ...annotations, [DESCRIPTION]: TEXT } },
        data,
      })
    },
  })
}
