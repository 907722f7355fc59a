/** Finds the definitions that the operations of a document refer to. */
import { definitionsByLongName, longName, shortNameOf } from '../definition-data.ts'
import type { GroupVersionKind } from '../schema.ts'
import { customName } from './openapi-custom.ts'
import type { OpenApiPath, Operation } from './openapi-operations.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.'

const nameOf = (gvk: GroupVersionKind): string => {
  const short = shortNameOf(gvk)
  return short === undefined ? customName(gvk) : longName(short)
}

/** Returns the long name of the request body type; undefined without a body. */
export const bodyName = ({ body, kind }: Operation): string | undefined => {
  if (body === 'object') return nameOf(kind!)
  if (body === 'patch') return `${META}Patch`
  return body === 'delete-options' ? `${META}DeleteOptions` : undefined
}

/** Returns the long name of the response type; undefined for plain text. */
export const responseName = ({ response, kind }: Operation): string | undefined => {
  switch (response) {
    case 'object':
      return nameOf(kind!)
    case 'list':
      return nameOf({ ...kind!, kind: `${kind!.kind}List` })
    case 'status':
      return `${META}Status`
    case 'watch':
      return `${META}WatchEvent`
    case 'resources':
      return `${META}APIResourceList`
    case 'text':
      return undefined
  }
}

/** Returns the success status codes with their descriptions. */
export const successCodes = ({ action }: Operation): [code: string, word: string][] => {
  const codes: [string, string][] = [['200', 'OK']]
  if (action === 'post' || action === 'put' || action === 'patch') codes.push(['201', 'Created'])
  if (action === 'post' || action === 'delete') codes.push(['202', 'Accepted'])
  return codes
}

/** The definitions that every custom resource refers to. */
const CUSTOM_ROOTS = ['meta.v1.ObjectMeta', 'meta.v1.ListMeta']

/** Returns the short names of the built-in definitions that the paths or custom resources refer to. */
export const referencedDefinitions = (paths: readonly OpenApiPath[], hasCustom: boolean): Set<string> => {
  const byLongName = definitionsByLongName()
  const shortNames = new Set(hasCustom ? CUSTOM_ROOTS : [])
  for (const operation of paths.flatMap(({ operations }) => operations)) {
    for (const name of [bodyName(operation), responseName(operation)]) {
      const short = name === undefined ? undefined : byLongName.get(name)
      if (short !== undefined) shortNames.add(short)
    }
  }
  return shortNames
}
