/** kubectl patch and kubectl scale. */
import { defined, isPlainObject, yamlLibrary } from '#kit'
import { isNotFound, type PatchKind, UnsupportedCommand, viewAs } from '#spec'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import { type Found, nameOf, objectRef } from '../client/found.ts'
import { createKubectlCall, type KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import { printChange } from '../print/print-objects.ts'
import { OUTPUT, SELECTION, type Verb } from './verb.ts'

const PATCH_FLAGS: FlagDefinitions = {
  ...OUTPUT,
  patch: { short: 'p', type: 'string' },
  'patch-file': { type: 'string' },
  type: { type: 'string' },
  subresource: { type: 'string' },
  'field-manager': { type: 'string' },
  'dry-run': { type: 'string', bare: 'unchanged' },
}

const KINDS: Readonly<Record<string, PatchKind>> = { strategic: 'strategic', merge: 'merge', json: 'json' }

const parsePatch = (text: string): unknown => {
  const document = yamlLibrary().parseDocument(text, { logLevel: 'silent', prettyErrors: false })
  if (document.errors.length > 0)
    throw new UnsupportedCommand('kubectl patch with a patch that is not valid YAML')
  return document.toJS({ maxAliasCount: 200 })
}

export const patch: Verb = async (program, args) => {
  const call = createKubectlCall(program, parseFlags('patch', args, PATCH_FLAGS))
  const { flags } = call
  for (const name of ['patch-file', 'dry-run'])
    if (flags.has(name)) throw new UnsupportedCommand(`kubectl patch --${name}`)
  const text = flags.text('patch')
  if (text === undefined || text === '')
    throw new KubectlError('error: must specify --patch or --patch-file containing the contents of the patch')
  const type = (flags.text('type') ?? 'strategic').toLowerCase()
  const kind = KINDS[type]
  if (kind === undefined)
    throw new KubectlError(`error: --type must be one of [json merge strategic], not "${flags.text('type')}"`)
  const body = parsePatch(text)
  if (kind === 'json' ? !Array.isArray(body) : !isPlainObject(body))
    throw new UnsupportedCommand('kubectl patch with a patch of another type')
  for (const found of await findObjects(call)) {
    const subresource = flags.text('subresource')
    const object = await program.api.patch(objectRef(found), kind, body, {
      fieldManager: flags.text('field-manager') ?? 'kubectl-patch',
      ...defined({ subresource }),
    })
    const isChanged = object.metadata.resourceVersion !== found.object.metadata.resourceVersion
    printChange(call, { ...found, object }, isChanged ? 'patched' : 'patched (no change)')
  }
  return 0
}

const SCALE_FLAGS: FlagDefinitions = {
  ...SELECTION,
  ...OUTPUT,
  replicas: { type: 'int' },
  'current-replicas': { type: 'int' },
  'resource-version': { type: 'string' },
  timeout: { type: 'duration' },
  'dry-run': { type: 'string', bare: 'unchanged' },
}

/** kubectl reports a missing flag as a line of its log, with the time and the number of its process. */
const requiredFlag = (now: number, name: string): string => {
  const iso = new Date(now).toISOString()
  const time = `${iso.slice(5, 7)}${iso.slice(8, 10)} ${iso.slice(11, 23)}000`
  return `E${time}       7 run.go:72] "command failed" err="required flag(s) \\"${name}\\" not set"`
}

const findScaled = async (call: KubectlCall): Promise<Found[]> => {
  try {
    return await findObjects(call)
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new KubectlError(`error: no objects passed to scale ${(error as Error).message}`)
  }
}

export const scale: Verb = async (program, args) => {
  const call = createKubectlCall(program, parseFlags('scale', args, SCALE_FLAGS))
  const { flags } = call
  for (const name of ['resource-version', 'timeout', 'dry-run'])
    if (flags.has(name)) throw new UnsupportedCommand(`kubectl scale --${name}`)
  if (!flags.has('replicas')) throw new KubectlError(requiredFlag(program.clock.now(), 'replicas'))
  const replicas = flags.int('replicas')!
  if (replicas < 0)
    throw new KubectlError(
      'error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0',
    )
  const current = flags.int('current-replicas') ?? -1
  for (const found of await findScaled(call)) {
    if (!found.type.subresources.includes('scale'))
      throw new KubectlError(`Error from server (NotFound): the server could not find the requested resource`)
    const { spec } = viewAs('Deployment', found.object)
    if (current >= 0 && spec?.replicas !== current)
      throw new KubectlError(`error: Expected replicas to be ${current}, was ${spec?.replicas ?? 0}`)
    await program.api.patch(
      objectRef(found),
      'merge',
      { spec: { replicas } },
      { subresource: 'scale', fieldManager: 'kubectl' },
    )
    if (flags.text('output') === 'name') call.out(nameOf(found))
    else if (flags.has('output')) throw new UnsupportedCommand(`kubectl scale -o ${flags.text('output')}`)
    else call.out(`${nameOf(found)} scaled`)
  }
  return 0
}
