/** kubectl rollout: status, restart, undo, history, pause and resume. */
import { type ApiObject, UnsupportedCommand } from '#spec'
import { type FlagDefinitions, parseFlags } from '../client/flags.ts'
import {
  createKubectlCall,
  type Found,
  findObjects,
  type KubectlCall,
  nameOf,
  objectRef,
  waitForObject,
} from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { alignColumns } from '../print/columns.ts'
import { printChange } from '../print/print-objects.ts'
import { rolloutState } from './rollout-status.ts'
import { OUTPUT, SELECTION, takeWord, type Verb } from './verb.ts'

const FLAGS: FlagDefinitions = {
  ...SELECTION,
  ...OUTPUT,
  timeout: { type: 'duration' },
  watch: { short: 'w', type: 'bool' },
  revision: { type: 'int' },
  'to-revision': { type: 'int' },
  'dry-run': { type: 'string', bare: 'unchanged' },
  'field-manager': { type: 'string' },
}

const REVISION = 'deployment.kubernetes.io/revision'
const MANAGER = 'kubectl-rollout'
const TEMPLATED = new Set(['Deployment', 'DaemonSet', 'StatefulSet'])

type Action = (call: KubectlCall, found: Found) => Promise<void>

const revisionOf = (object: ApiObject): number =>
  Number((object.metadata.annotations as Record<string, string> | undefined)?.[REVISION] ?? 0)

const requireDeployment = ({ type }: Found, action: string): void => {
  if (type.kind !== 'Deployment') throw new UnsupportedCommand(`kubectl rollout ${action} of a ${type.kind}`)
}

/** The ReplicaSets of a Deployment, by revision. */
const listRevisions = async (
  { program }: KubectlCall,
  { object }: Found,
): Promise<Map<number, ApiObject>> => {
  const { namespace, uid } = object.metadata
  const { items } = await program.api.list({
    apiVersion: 'apps/v1',
    plural: 'replicasets',
    ...(namespace === undefined ? {} : { namespace }),
  })
  const owned = items.filter(({ metadata }) =>
    ((metadata.ownerReferences ?? []) as { uid: string }[]).some((owner) => owner.uid === uid),
  )
  return new Map(owned.map((each) => [revisionOf(each), each] as const).sort(([a], [b]) => a - b))
}

const status: Action = async (call, found) => {
  const { flags } = call
  const timeout = flags.duration('timeout') ?? 0
  let last = ''
  let failure: unknown
  const look = (object: ApiObject | undefined): boolean => {
    try {
      if (object === undefined) throw new KubectlError('error: object has been deleted')
      const { message, isDone } = rolloutState(object)
      if (message !== last) call.out(message)
      last = message
      return isDone || !flags.bool('watch', true)
    } catch (error) {
      failure = error
      return true
    }
  }
  const isDone = await waitForObject(
    call,
    objectRef(found),
    look,
    timeout <= 0 ? Number.POSITIVE_INFINITY : timeout,
  )
  if (failure !== undefined) throw failure
  if (!isDone) throw new KubectlError('error: timed out waiting for the condition')
}

/** `deployments.apps "web"` */
const quoted = ({ type, object }: Found): string =>
  `${type.plural}${type.group === '' ? '' : `.${type.group}`} "${object.metadata.name}"`

const toRfc3339 = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

const restart: Action = async (call, found) => {
  if (!TEMPLATED.has(found.type.kind))
    throw new KubectlError(`error: ${quoted(found)} restarting is not supported`)
  if ((found.object.spec as { paused?: boolean }).paused === true)
    throw new KubectlError(
      `error: ${quoted(found)} can't restart paused ${found.type.singular} (run rollout resume first)`,
    )
  const annotations = { 'kubectl.kubernetes.io/restartedAt': toRfc3339(call.program.clock.now()) }
  const object = await call.program.api.patch(
    objectRef(found),
    'strategic',
    { spec: { template: { metadata: { annotations } } } },
    { fieldManager: MANAGER },
  )
  printChange(call, { ...found, object }, 'restarted')
}

const setPaused =
  (isPaused: boolean): Action =>
  async (call, found) => {
    requireDeployment(found, isPaused ? 'pause' : 'resume')
    const isNow = (found.object.spec as { paused?: boolean }).paused === true
    if (isNow === isPaused)
      throw new KubectlError(`error: ${quoted(found)} is ${isPaused ? 'already paused' : 'not paused'}`)
    const object = await call.program.api.patch(
      objectRef(found),
      'strategic',
      { spec: { paused: isPaused ? true : null } },
      { fieldManager: MANAGER },
    )
    printChange(call, { ...found, object }, isPaused ? 'paused' : 'resumed')
  }

const withoutHash = (replicaSet: ApiObject): Record<string, any> => {
  const { template } = replicaSet.spec as { template: Record<string, any> }
  const { 'pod-template-hash': _, ...labels } = template.metadata.labels ?? {}
  return { ...template, metadata: { ...template.metadata, labels } }
}

const isSameTemplate = (a: unknown, b: unknown): boolean =>
  JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}

/** Annotations of the Deployment that a rollback does not change. */
const KEPT = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  'deployment.kubernetes.io/revision-history',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deprecated.deployment.rollback.to',
])

const undo: Action = async (call, found) => {
  requireDeployment(found, 'undo')
  const { object } = found
  const { name } = object.metadata
  const spec = object.spec as { paused?: boolean; template: unknown }
  const toRevision = call.flags.int('to-revision') ?? 0
  if (toRevision < 0)
    throw new KubectlError(`error: unable to find specified revision ${toRevision} in history`)
  const revisions = await listRevisions(call, found)
  const chosen =
    toRevision > 0 ? revisions.get(toRevision) : revisions.get([...revisions.keys()].at(-2) ?? Number.NaN)
  if (chosen === undefined)
    throw new KubectlError(
      toRevision > 0
        ? `error: unable to find specified revision ${toRevision} in history`
        : `error: no rollout history found for deployment "${name}"`,
    )
  if (spec.paused === true)
    throw new KubectlError(
      `error: you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume deployment/${name}' and try again`,
    )
  const template = withoutHash(chosen)
  if (isSameTemplate(template, spec.template))
    return call.out(
      `${nameOf(found)} skipped rollback (current template already matches revision ${revisionOf(chosen)})`,
    )
  const own = (object.metadata.annotations ?? {}) as Record<string, string>
  const old = (chosen.metadata.annotations ?? {}) as Record<string, string>
  const annotations = {
    ...Object.fromEntries(Object.entries(own).filter(([key]) => KEPT.has(key))),
    ...Object.fromEntries(Object.entries(old).filter(([key]) => !KEPT.has(key))),
  }
  await call.program.api.patch(
    objectRef(found),
    'json',
    [
      { op: 'replace', path: '/spec/template', value: template },
      { op: 'replace', path: '/metadata/annotations', value: annotations },
    ],
    { fieldManager: 'kubectl' },
  )
  call.out(`${nameOf(found)} rolled back`)
}

const history: Action = async (call, found) => {
  requireDeployment(found, 'history')
  if (call.flags.has('revision')) throw new UnsupportedCommand('kubectl rollout history --revision')
  const revisions = await listRevisions(call, found)
  call.out(`${nameOf(found)} `)
  const rows = [...revisions].map(([revision, { metadata }]) => [
    String(revision),
    (metadata.annotations as Record<string, string> | undefined)?.['kubernetes.io/change-cause'] || '<none>',
  ])
  call.out(alignColumns([['REVISION', 'CHANGE-CAUSE'], ...rows], { padding: 2, minWidth: 0 }))
}

const ACTIONS: Readonly<Record<string, Action>> = {
  status,
  restart,
  undo,
  history,
  pause: setPaused(true),
  resume: setPaused(false),
}

export const rollout: Verb = async (program, args) => {
  const { word: name = '', rest } = takeWord(args)
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
  if (action === undefined) throw new UnsupportedCommand(`kubectl rollout ${name}`)
  const call = createKubectlCall(program, parseFlags(`rollout ${name}`, rest, FLAGS))
  if (call.flags.has('dry-run')) throw new UnsupportedCommand('kubectl rollout --dry-run')
  const found = await findObjects(call, { allowsAll: name === 'restart' || name === 'history' })
  if (name === 'status' && found.length > 1)
    throw new UnsupportedCommand('kubectl rollout status of several objects')
  for (const each of found) await action(call, each)
  return 0
}
