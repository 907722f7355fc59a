/** Assigns the default class to Ingresses without a class. */
import type { Ingress } from 'kubernetes-types/networking/v1.d.ts'
import { ingressClasses, ingresses } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { AdmissionPlugin } from '#platform/kube/ports'
import { newestOf } from './newest-of.ts'

const DEFAULT_ANNOTATION = 'ingressclass.kubernetes.io/is-default-class'
/** The deprecated annotation that names a class. */
const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'

export const defaultIngressClass: AdmissionPlugin = {
  name: 'DefaultIngressClass',
  admit({ kind, operation, subresource, object, client }) {
    if (kind.id !== ingresses.id || operation !== 'CREATE' || subresource !== undefined) return
    const { metadata, spec } = object as Stored<Ingress>
    if (spec.ingressClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return
    const defaults = client
      .list(ingressClasses)
      .filter((candidate) => candidate.metadata.annotations?.[DEFAULT_ANNOTATION] === 'true')
    const found = newestOf(defaults)
    if (found !== undefined) spec.ingressClassName = found.metadata.name
  },
}
