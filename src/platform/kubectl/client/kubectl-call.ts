/** One call of kubectl: its flags, the cluster, and the search for the objects that its arguments select. */
import type { ApiObject, ListOptions, ObjectRef } from '#spec'
import type { ProgramCall } from '../command-context.ts'
import type { ParsedFlags } from './flags.ts'
import { isNotFound, isStatusError, KubectlError, serverMessage } from './kubectl-error.ts'
import { createResourceTypes, type ResourceType, type ResourceTypes, refOf } from './resource-types.ts'

/** The time of one call of kubectl besides waiting, measured with kubectl 1.32 on two idle cores. */
export const KUBECTL_MS = 50

export interface Found {
  readonly type: ResourceType
  readonly object: ApiObject
}

export interface KubectlCall {
  readonly program: ProgramCall
  readonly flags: ParsedFlags
  readonly types: ResourceTypes
  readonly namespace: string
  out(line: string): void
  err(line: string): void
}

export const createKubectlCall = (program: ProgramCall, flags: ParsedFlags): KubectlCall => ({
  program,
  flags,
  types: createResourceTypes(program.discovery),
  namespace: flags.text('namespace') ?? program.namespace,
  out: (line) => program.out(`${line}\n`),
  err: (line) => program.err(`${line}\n`),
})

/** `deployment.apps/web` */
export const nameOf = ({ type, object }: Found): string => `${type.label}/${object.metadata.name}`

export const objectRef = ({ type, object }: Found): ObjectRef => ({
  ...refOf(type, object.metadata.namespace),
  name: object.metadata.name,
})

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

const NO_NAMES = 'error: resource(s) were provided, but no name was specified'

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

/** kubectl names the resource that it could not list. */
const listFailure = (
  error: unknown,
  { group, version, plural }: ResourceType,
  selectors: ListOptions,
): unknown => {
  if (!isStatusError(error) || (error.code !== 400 && error.code !== 404)) return error
  const { labelSelector = '', fieldSelector = '' } = selectors
  const resource = `"${group}/${version}, Resource=${plural}"`
  const what =
    labelSelector === '' && fieldSelector === ''
      ? `Unable to list ${resource}`
      : `Unable to find ${resource} that match label selector "${labelSelector}", field selector "${fieldSelector}"`
  return new KubectlError(serverMessage(error, `${what}: `))
}

const listOf = async (
  { program, namespace }: KubectlCall,
  type: ResourceType,
  { isEverywhere, ...selectors }: ListOptions & { isEverywhere: boolean },
): Promise<Found[]> => {
  try {
    const { items } = await program.api.list(refOf(type, isEverywhere ? undefined : namespace), selectors)
    return items.map((object) => ({
      type,
      object: { ...object, apiVersion: type.apiVersion, kind: type.kind },
    }))
  } catch (error) {
    throw listFailure(error, type, selectors)
  }
}

export interface FindOptions {
  /** Whether `--all` or no name at all selects every object. */
  readonly allowsAll?: boolean
  /** Called for each error of an object; by default the first error ends the command. */
  onError?(error: unknown): void
}

/** The objects that the arguments, `-l`, `--field-selector` and `-A` select. */
export const findObjects = async (
  call: KubectlCall,
  { allowsAll = false, onError }: FindOptions = {},
): Promise<Found[]> => {
  const { flags, program, namespace } = call
  const { targets, types } = parseTargets(call, flags.args)
  if (targets.length === 0) {
    const [labelSelector, fieldSelector] = [flags.text('selector'), flags.text('field-selector')]
    if (!allowsAll && !flags.bool('all') && labelSelector === undefined && fieldSelector === undefined)
      throw new KubectlError(NO_NAMES)
    const found: Found[] = []
    for (const type of types)
      found.push(
        ...(await listOf(call, type, {
          ...(labelSelector === undefined ? {} : { labelSelector }),
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
          isEverywhere: flags.bool('all-namespaces'),
        })),
      )
    return found
  }
  if (flags.has('selector'))
    throw new KubectlError('error: name cannot be provided when a selector is specified')
  if (flags.bool('all-namespaces'))
    throw new KubectlError('error: a resource cannot be retrieved by name across all namespaces')
  const found: Found[] = []
  for (const { type, name } of targets)
    try {
      found.push({ type, object: await program.api.get({ ...refOf(type, namespace), name }) })
    } catch (error) {
      if (isNotFound(error) && flags.bool('ignore-not-found')) continue
      if (onError === undefined) throw error
      onError(error)
    }
  return found
}

/** Resolves when the object satisfies the predicate, or with false after the timeout. A deleted object is passed as undefined. */
export const waitForObject = async (
  { program }: KubectlCall,
  ref: ObjectRef,
  isDone: (object: ApiObject | undefined) => boolean,
  timeoutSeconds: number,
): Promise<boolean> => {
  const { api, clock, signal } = program
  const { name, ...collection } = ref
  const read = (): Promise<ApiObject | undefined> =>
    api.get(ref).catch((error: unknown) => {
      if (isNotFound(error)) return undefined
      throw error
    })
  if (isDone(await read())) return true
  return new Promise<boolean>((resolve, reject) => {
    let stop: (() => void) | undefined
    const end = (finish: () => void): void => {
      timer?.cancel()
      stop?.()
      signal.removeEventListener('abort', abort)
      finish()
    }
    const abort = (): void => end(() => reject(signal.reason))
    const timer = Number.isFinite(timeoutSeconds)
      ? clock.after(timeoutSeconds * 1000, () => end(() => resolve(false)))
      : undefined
    signal.addEventListener('abort', abort, { once: true })
    api
      .watch(
        collection,
        { fieldSelector: `metadata.name=${name}` },
        ({ type, object }) => {
          if (isDone(type === 'DELETED' ? undefined : object)) end(() => resolve(true))
        },
        (error) => end(() => reject(error ?? new Error('the watch ended'))),
      )
      .then(async (stopWatch) => {
        stop = stopWatch
        // The object may have changed before the watch began.
        if (isDone(await read())) end(() => resolve(true))
      })
      .catch((error: unknown) => end(() => reject(error)))
  })
}
