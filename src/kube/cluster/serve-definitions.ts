/** Serves the kinds of established CustomResourceDefinitions, from the moment they are until they are gone. */
import type { CustomResourceDefinition } from 'kubernetes-types/apiextensions/v1.d.ts'
import { kindOfDefinition } from '../custom/index.ts'
import { customResourceDefinitions } from '../kinds/index.ts'
import type { Stored } from '../meta/index.ts'
import type { Client } from '../ports/index.ts'
import type { KindDirectory } from '../resources/index.ts'

type Definition = Stored<CustomResourceDefinition>

const isEstablished = ({ status }: Definition): boolean =>
  status.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') === true

export const serveDefinitions = (client: Client, directory: KindDirectory): (() => void) => {
  const served = new Map<string, Definition['spec']>()
  return client.watch(customResourceDefinitions, ({ type, object }) => {
    const { name } = object.metadata
    if (type === 'DELETED') {
      if (served.delete(name)) directory.register(name, [])
    } else if (isEstablished(object) && served.get(name) !== object.spec) {
      served.set(name, object.spec)
      const kind = kindOfDefinition(object)
      directory.register(name, kind === undefined ? [] : [kind])
    }
  })
}
