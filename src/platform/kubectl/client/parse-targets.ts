/** Parses the arguments that name objects or types: `TYPE NAME...` and `TYPE/NAME...`. */
import type { KubectlCall } from './kubectl-call.ts'
import { KubectlError } from './kubectl-error.ts'
import type { ResourceType } from './resource-types.ts'

interface Target {
  readonly type: ResourceType
  readonly name: string
}

const NO_RESOURCES = [
  'error: You must provide one or more resources by argument or filename.',
  'Example resource specifications include:',
  "   '-f rsrc.yaml'",
  "   '--filename=rsrc.json'",
  "   '<resource> <name>'",
  "   '<resource>'",
].join('\n')

/** Parses `TYPE NAME...` and `TYPE/NAME...`. Without names, returns the types. */
export const parseTargets = (
  { types }: KubectlCall,
  args: readonly string[],
): { targets: Target[]; types: ResourceType[] } => {
  const [first, ...rest] = args
  if (first === undefined) throw new KubectlError(NO_RESOURCES)
  if (!args.some((arg) => arg.includes('/'))) {
    const found = types.findAll(first)
    return { targets: rest.flatMap((name) => found.map((type) => ({ type, name }))), types: found }
  }
  const targets = args.map((arg) => {
    const parts = arg.split('/')
    if (parts.length !== 2)
      throw new KubectlError(
        parts.length === 1
          ? "error: there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'"
          : 'error: arguments in resource/name form may not have more than one slash',
      )
    const [type = '', name = ''] = parts
    if (type === '' || name === '')
      throw new KubectlError('error: arguments in resource/name form must have a single resource and name')
    return { type: types.find(type), name }
  })
  return { targets, types: [] }
}
