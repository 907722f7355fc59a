/** kubectl apply, create and replace, with manifests from standard input. */
import { isPlainObject } from '#kit'
import { type ApiObject, isNotFound, UnsupportedCommand } from '#spec'
import type { FlagDefinitions } from '../client/flags.ts'
import { createKubectlCall, type KubectlCall } from '../client/kubectl-call.ts'
import { isStatusError, KubectlError, serverMessage } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import { type ResourceType, refOf } from '../client/resource-types.ts'
import { printChange } from '../print/print-objects.ts'
import { type Manifest, readManifests } from './manifests.ts'
import { threeWayPatch } from './three-way-patch.ts'
import { OUTPUT, type Verb } from './verb.ts'

const FLAGS: FlagDefinitions = {
  ...OUTPUT,
  filename: { short: 'f', type: 'list' },
  validate: { type: 'string', bare: 'strict' },
  'server-side': { type: 'bool' },
  'force-conflicts': { type: 'bool' },
  'field-manager': { type: 'string' },
  overwrite: { type: 'bool' },
  'dry-run': { type: 'string', bare: 'unchanged' },
  'save-config': { type: 'bool' },
  force: { type: 'bool' },
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  )
}

const withAnnotation = (object: ApiObject): ApiObject => {
  const { annotations = {}, ...metadata } = object.metadata as Record<string, any>
  const { [LAST_APPLIED]: _, ...others } = annotations
  const bare = { ...object, metadata: { ...metadata, annotations: others } }
  const text = `${JSON.stringify(sortKeys(bare))}\n`
  return {
    ...bare,
    metadata: { ...metadata, annotations: { ...others, [LAST_APPLIED]: text } },
  } as unknown as ApiObject
}

const failure = (error: unknown, context: string): unknown =>
  isStatusError(error) ? new KubectlError(serverMessage(error, context)) : error

const fieldValidation = 'Strict' as const

const createObject = async (
  { program }: KubectlCall,
  { type, namespace }: Manifest,
  object: ApiObject,
  fieldManager: string,
): Promise<ApiObject> => {
  try {
    return await program.api.create(refOf(type, namespace), object, { fieldManager, fieldValidation })
  } catch (error) {
    throw failure(error, 'error when creating "STDIN": ')
  }
}

const patchContext = (patch: object, type: ResourceType, object: ApiObject): string =>
  `error when applying patch:\n${JSON.stringify(sortKeys(patch))}\nto:\nResource: "${type.group === '' ? '' : `${type.group}/`}${type.version}, Resource=${type.plural}", GroupVersionKind: "${type.group === '' ? '/' : `${type.group}/`}${type.version}, Kind=${type.kind}"\nName: "${object.metadata.name}", Namespace: "${object.metadata.namespace ?? ''}"\nfor: "STDIN": error when patching "STDIN": `

const applyManifest = async (call: KubectlCall, manifest: Manifest): Promise<void> => {
  const { type, namespace } = manifest
  const { api } = call.program
  const { name } = manifest.object.metadata
  const wanted = withAnnotation(manifest.object)
  const ref = { ...refOf(type, namespace), name }
  let current: ApiObject
  try {
    current = await api.get(ref)
  } catch (error) {
    if (!isNotFound(error)) throw failure(error, 'error when retrieving current configuration of STDIN: ')
    const object = await createObject(call, manifest, wanted, 'kubectl-client-side-apply')
    return printChange(call, { type, object }, 'created')
  }
  const annotation = (current.metadata.annotations as Record<string, string> | undefined)?.[LAST_APPLIED]
  if (annotation === undefined)
    call.err(
      `Warning: resource ${type.plural}/${name} is missing the kubectl.kubernetes.io/last-applied-configuration annotation which is required by kubectl apply. kubectl apply should only be used on resources created declaratively by either kubectl create --save-config or kubectl apply. The missing annotation will be patched automatically.`,
    )
  const patch = threeWayPatch(annotation === undefined ? {} : JSON.parse(annotation), current, wanted)
  if (patch === undefined) return printChange(call, { type, object: current }, 'unchanged')
  try {
    const object = await api.patch(
      ref,
      type.group.includes('.') && !type.group.endsWith('.k8s.io') ? 'merge' : 'strategic',
      patch,
      {
        fieldManager: 'kubectl-client-side-apply',
        fieldValidation,
      },
    )
    printChange(call, { type, object }, 'configured')
  } catch (error) {
    throw failure(error, patchContext(patch, type, current))
  }
}

const openCall = (verb: string, program: Parameters<Verb>[0], args: readonly string[]): KubectlCall => {
  const call = createKubectlCall(program, parseFlags(verb, args, FLAGS))
  const { flags } = call
  for (const name of ['server-side', 'force', 'save-config'])
    if (flags.bool(name)) throw new UnsupportedCommand(`kubectl ${verb} --${name}`)
  if (flags.has('dry-run') && flags.text('dry-run') !== 'none')
    throw new UnsupportedCommand(`kubectl ${verb} --dry-run`)
  if (flags.has('validate')) throw new UnsupportedCommand(`kubectl ${verb} --validate`)
  if (!flags.has('filename'))
    throw flags.args.length > 0
      ? new UnsupportedCommand(`kubectl ${verb} ${flags.args[0]}`)
      : new KubectlError('error: must specify one of -f and -k')
  return call
}

/** Runs the action on each manifest; continues after a failure. */
const forEachManifest = async (
  call: KubectlCall,
  action: (manifest: Manifest) => Promise<void>,
): Promise<number> => {
  let code = 0
  for (const manifest of readManifests(call, call.flags.list('filename')))
    try {
      await action(manifest)
    } catch (error) {
      if (!(error instanceof KubectlError)) throw error
      call.err(error.message)
      code = 1
    }
  return code
}

export const apply: Verb = async (program, args) => {
  const call = openCall('apply', program, args)
  return forEachManifest(call, (manifest) => applyManifest(call, manifest))
}

export const create: Verb = async (program, args) => {
  const call = openCall('create', program, args)
  return forEachManifest(call, async (manifest) => {
    const object = await createObject(call, manifest, manifest.object, 'kubectl-create')
    printChange(call, { type: manifest.type, object }, 'created')
  })
}

export const replace: Verb = async (program, args) => {
  const call = openCall('replace', program, args)
  return forEachManifest(call, async ({ type, object, namespace }) => {
    const ref = { ...refOf(type, namespace), name: object.metadata.name }
    try {
      const replaced = await program.api.update(ref, object, {
        fieldManager: 'kubectl-replace',
        fieldValidation,
      })
      printChange(call, { type, object: replaced }, 'replaced')
    } catch (error) {
      throw failure(error, 'error when replacing "STDIN": ')
    }
  })
}
