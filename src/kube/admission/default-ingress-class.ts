/** Ingresses that name no class get the default one. */
import type { Ingress } from 'kubernetes-types/networking/v1.d.ts'
import { ingressClasses, ingresses } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { AdmissionPlugin } from '../ports/index.ts'
import { newestOf } from './newest-of.ts'

const IS_DEFAULT = 'ingressclass.kubernetes.io/is-default-class'
/** How a class was named before there was a field for it. */
const OLD_WAY = 'kubernetes.io/ingress.class'

export const defaultIngressClass: AdmissionPlugin = {
  name: 'DefaultIngressClass',
  admit({ kind, operation, subresource, object, client }) {
    if (kind.id !== ingresses.id || operation !== 'CREATE' || subresource !== undefined) return
    const { metadata, spec } = object as Stored<Ingress>
    if (spec.ingressClassName !== undefined || metadata.annotations?.[OLD_WAY] !== undefined) return
    const defaults = client
      .list(ingressClasses)
      .filter((one) => one.metadata.annotations?.[IS_DEFAULT] === 'true')
    const found = newestOf(defaults)
    if (found !== undefined) spec.ingressClassName = found.metadata.name
  },
}
