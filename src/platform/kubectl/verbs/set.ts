/** kubectl set image, env and resources. */

import { UnsupportedCommand } from '#spec'
import { type FlagDefinitions, parseFlags } from '../client/flags.ts'
import {
  createKubectlCall,
  type Found,
  findObjects,
  type KubectlCall,
  objectRef,
} from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { printChange } from '../print/print-objects.ts'
import { OUTPUT, SELECTION, takeWord, type Verb } from './verb.ts'

const FLAGS: FlagDefinitions = {
  ...SELECTION,
  ...OUTPUT,
  containers: { short: 'c', type: 'string' },
  limits: { type: 'string' },
  requests: { type: 'string' },
  env: { short: 'e', type: 'list' },
  from: { type: 'string' },
  list: { type: 'bool' },
  overwrite: { type: 'bool' },
  keys: { type: 'list' },
  prefix: { type: 'string' },
  local: { type: 'bool' },
  record: { type: 'bool' },
  'dry-run': { type: 'string', bare: 'unchanged' },
  'field-manager': { type: 'string' },
}

interface Container {
  readonly name: string
  readonly image?: string
  readonly env?: readonly { readonly name: string; readonly value?: string }[]
  readonly resources?: Readonly<Record<string, any>>
}

const podSpecOf = ({
  object,
  type,
}: Found): { containers: readonly Container[]; initContainers?: readonly Container[] } => {
  const spec = object.spec as Record<string, any>
  const found =
    type.kind === 'Pod'
      ? spec
      : type.kind === 'CronJob'
        ? spec.jobTemplate?.spec?.template?.spec
        : spec?.template?.spec
  if (found === undefined)
    throw new KubectlError(`error: the object is not a pod or does not have a pod template: ${object.kind}`)
  return found
}

const toPatch = ({ type }: Found, podSpec: object): object => {
  if (type.kind === 'Pod') return { spec: podSpec }
  const template = { spec: { template: { spec: podSpec } } }
  return type.kind === 'CronJob' ? { spec: { jobTemplate: template } } : template
}

/** Splits resources from assignments such as `web=web:2` and `NAME-`. */
const splitArguments = (
  args: readonly string[],
  allowsRemoval: boolean,
): { resources: string[]; changes: string[] } => {
  const isChange = (arg: string): boolean => arg.includes('=') || (allowsRemoval && arg.endsWith('-'))
  return { resources: args.filter((arg) => !isChange(arg)), changes: args.filter(isChange) }
}

/** Sends the changed containers. Prints nothing if none changed. */
const update = async (
  call: KubectlCall,
  found: Found,
  changed: { containers?: object[]; initContainers?: object[] },
  word: string,
): Promise<void> => {
  const lists = Object.fromEntries(
    Object.entries(changed).filter(([, list]) => list !== undefined && list.length > 0),
  )
  if (Object.keys(lists).length === 0) return
  const object = await call.program.api.patch(objectRef(found), 'strategic', toPatch(found, lists), {
    fieldManager: 'kubectl-set',
  })
  printChange(call, { ...found, object }, word)
}

const setImage = async (call: KubectlCall, found: Found, changes: readonly string[]): Promise<void> => {
  const { containers, initContainers = [] } = podSpecOf(found)
  const images = new Map<string, string>()
  for (const change of changes) {
    const at = change.indexOf('=')
    const [name, image] = [change.slice(0, at), change.slice(at + 1)]
    const matches = [...containers, ...initContainers].filter((each) => name === '*' || each.name === name)
    if (matches.length === 0) throw new KubectlError(`error: unable to find container named "${name}"`)
    for (const each of matches) images.set(each.name, image)
  }
  const changedOf = (list: readonly Container[]): object[] =>
    list
      .filter(({ name, image }) => images.has(name) && images.get(name) !== image)
      .map(({ name }) => ({ name, image: images.get(name) }))
  await update(
    call,
    found,
    { containers: changedOf(containers), initContainers: changedOf(initContainers) },
    'image updated',
  )
}

/** `-c` with wildcards; all containers by default. */
const selectContainers = (call: KubectlCall, containers: readonly Container[]): readonly Container[] => {
  const pattern = call.flags.text('containers') ?? '*'
  const compiled = new RegExp(
    `^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')}$`,
  )
  return containers.filter(({ name }) => compiled.test(name))
}

const setEnvironment = async (call: KubectlCall, found: Found, changes: readonly string[]): Promise<void> => {
  const containers = selectContainers(call, podSpecOf(found).containers)
  if (containers.length === 0) {
    call.err(
      `Warning: ${found.type.kind}/${found.object.metadata.name} does not have any containers matching "${call.flags.text('containers')}"`,
    )
    return
  }
  const changed = containers.flatMap(({ name, env = [] }) => {
    const entries = changes.flatMap((change): object[] => {
      if (!change.includes('=')) {
        const removed = change.slice(0, -1)
        return env.some((each) => each.name === removed) ? [{ $patch: 'delete', name: removed }] : []
      }
      const at = change.indexOf('=')
      const [key, value] = [change.slice(0, at), change.slice(at + 1)]
      const existing = env.find((each) => each.name === key)
      if (existing === undefined) return [{ name: key, value }]
      if (existing.value === value && !('valueFrom' in existing)) return []
      return [{ name: key, value, ...('valueFrom' in existing ? { valueFrom: null } : {}) }]
    })
    return entries.length === 0 ? [] : [{ name, env: entries }]
  })
  await update(call, found, { containers: changed }, 'env updated')
}

const parseQuantities = (text: string | undefined): Record<string, string> | undefined => {
  if (text === undefined || text === '') return undefined
  return Object.fromEntries(
    text.split(',').map((part) => {
      const pair = part.split('=')
      if (pair.length !== 2)
        throw new KubectlError(`error: Invalid argument syntax ${part}, expected <resource>=<value>`)
      return pair
    }),
  )
}

const setResources = async (call: KubectlCall, found: Found): Promise<void> => {
  const limits = parseQuantities(call.flags.text('limits'))
  const requests = parseQuantities(call.flags.text('requests'))
  if (limits === undefined && requests === undefined)
    throw new KubectlError(
      'error: you must specify an update to requests or limits (in the form of --requests/--limits)',
    )
  const containers = selectContainers(call, podSpecOf(found).containers)
  if (containers.length === 0)
    throw new KubectlError(`error: unable to find container named ${call.flags.text('containers')}`)
  const changed = containers.flatMap(({ name, resources = {} }) => {
    const differs = (
      wanted: Record<string, string> | undefined,
      current: Record<string, string> = {},
    ): boolean =>
      wanted !== undefined && Object.entries(wanted).some(([key, value]) => current[key] !== value)
    if (!differs(limits, resources.limits) && !differs(requests, resources.requests)) return []
    return [
      {
        name,
        resources: {
          ...(limits === undefined ? {} : { limits }),
          ...(requests === undefined ? {} : { requests }),
        },
      },
    ]
  })
  await update(call, found, { containers: changed }, 'resource requirements updated')
}

export const set: Verb = async (program, args) => {
  const { word: what = '', rest } = takeWord(args)
  if (!['image', 'env', 'resources'].includes(what)) throw new UnsupportedCommand(`kubectl set ${what}`)
  const flags = parseFlags(`set ${what}`, rest, FLAGS)
  for (const name of ['from', 'list', 'keys', 'prefix', 'local', 'record', 'dry-run'])
    if (flags.has(name)) throw new UnsupportedCommand(`kubectl set ${what} --${name}`)
  const { resources, changes: written } = splitArguments(flags.args, what === 'env')
  const changes = [...written, ...flags.list('env')]
  if (what === 'env' && changes.length === 0) throw new UnsupportedCommand('kubectl set env without changes')
  if (what === 'image' && changes.length === 0)
    throw new KubectlError('error: at least one image update is required')
  const call = createKubectlCall(program, { ...flags, args: resources })
  for (const found of await findObjects(call)) {
    if (what === 'image') await setImage(call, found, changes)
    else if (what === 'env') await setEnvironment(call, found, changes)
    else await setResources(call, found)
  }
  return 0
}
