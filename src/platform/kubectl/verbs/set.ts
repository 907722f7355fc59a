/** kubectl set: its flags and arguments; image, env and resources have their own files. */
import { UnsupportedCommand } from '#spec'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import { createKubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import { setEnvironment } from './set-environment.ts'
import { setImage } from './set-image.ts'
import { setResources } from './set-resources.ts'
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

/** Splits resources from assignments such as `web=web:2` and `NAME-`. */
const splitArguments = (
  args: readonly string[],
  allowsRemoval: boolean,
): { resources: string[]; changes: string[] } => {
  const isChange = (arg: string): boolean => arg.includes('=') || (allowsRemoval && arg.endsWith('-'))
  return { resources: args.filter((arg) => !isChange(arg)), changes: args.filter(isChange) }
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
