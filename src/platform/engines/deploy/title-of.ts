/** Names objects in reports: `Deployment shop/cart`. */
import type { KubeObject } from '#platform/kube/simulated'

export const titleOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`
