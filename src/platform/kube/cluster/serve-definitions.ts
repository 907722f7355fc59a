/** Serves the kinds of established CustomResourceDefinitions until they are deleted. */
import type { CustomResourceDefinition } from 'kubernetes-types/apiextensions/v1.d.ts'
import { toKind } from '#platform/kube/custom'
import { customResourceDefinitions } from '#platform/kube/kinds'
import type { Stored } from '#platform/kube/meta'
import type { Client } from '#platform/kube/ports'
import type { KindDirectory } from '#platform/kube/resources'

type Definition = Stored<CustomResourceDefinition>

const isEstablished = ({ status }: Definition): boolean =>
  status.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') === true

/** Returns a function that stops following the definitions. */
export const serveDefinitions = (client: Client, directory: KindDirectory): (() => void) => {
  const served = new Map<string, Definition['spec']>()
  return client.watch(customResourceDefinitions, ({ type, object }) => {
    const { name } = object.metadata
    if (type === 'DELETED') {
      if (served.delete(name)) directory.register(name, [])
    } else if (isEstablished(object) && served.get(name) !== object.spec) {
      served.set(name, object.spec)
      const kind = toKind(object)
      directory.register(name, kind === undefined ? [] : [kind])
    }
  })
}
