/** Which definitions the operations of a document refer to. */
import { definitionsByLongName, longName, shortNameOf } from './definition-data.ts'
import { customName } from './openapi-custom.ts'
import type { OpenApiPath, Operation } from './openapi-operations.ts'
import type { GroupVersionKind } from './schema.ts'

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.'

const nameOf = (gvk: GroupVersionKind): string => {
  const short = shortNameOf(gvk)
  return short === undefined ? customName(gvk) : longName(short)
}

/** Long name of what is sent, if anything is. */
export const bodyName = ({ body, kind }: Operation): string | undefined => {
  if (body === 'object') return nameOf(kind!)
  if (body === 'patch') return `${META}Patch`
  return body === 'delete-options' ? `${META}DeleteOptions` : undefined
}

/** Long name of what comes back; undefined where it is plain text. */
export const answerName = ({ answer, kind }: Operation): string | undefined => {
  switch (answer) {
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

/** Codes that a success may have, with their words. */
export const successCodes = ({ action }: Operation): [code: string, word: string][] => {
  const codes: [string, string][] = [['200', 'OK']]
  if (action === 'post' || action === 'put' || action === 'patch') codes.push(['201', 'Created'])
  if (action === 'post' || action === 'delete') codes.push(['202', 'Accepted'])
  return codes
}

/** What custom resources refer to in their metadata. */
const CUSTOM_ROOTS = ['meta.v1.ObjectMeta', 'meta.v1.ListMeta']

/** Short names of the built-in definitions that the paths send or answer, or that custom resources need. */
export const referredDefinitions = (paths: readonly OpenApiPath[], hasCustom: boolean): Set<string> => {
  const byLongName = definitionsByLongName()
  const shorts = new Set(hasCustom ? CUSTOM_ROOTS : [])
  for (const operation of paths.flatMap(({ operations }) => operations)) {
    for (const name of [bodyName(operation), answerName(operation)]) {
      const short = name === undefined ? undefined : byLongName.get(name)
      if (short !== undefined) shorts.add(short)
    }
  }
  return shorts
}
