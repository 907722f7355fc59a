/** The root CA publisher: keeps a ConfigMap with the API server's CA certificate in every namespace. */
import { configMaps, namespaces } from '#platform/kube/kinds'
import { type Controller, defineController, watching } from '../define-controller.ts'

const NAME = 'kube-root-ca.crt'
const DESCRIPTION_KEY = 'kubernetes.io/description'
const DESCRIPTION =
  'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.'

/** `certificate` is the CA certificate in PEM. */
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
          metadata: { name: NAME, namespace, annotations: { [DESCRIPTION_KEY]: DESCRIPTION } },
          data,
        })
        return
      }
      const annotations = published.metadata.annotations
      if (annotations?.[DESCRIPTION_KEY] !== undefined && published.data?.['ca.crt'] === certificate) {
        if (Object.keys(published.data).length === 1) return
      }
      client.update(configMaps, {
        ...published,
        metadata: { ...published.metadata, annotations: { ...annotations, [DESCRIPTION_KEY]: DESCRIPTION } },
        data,
      })
    },
  })
}
