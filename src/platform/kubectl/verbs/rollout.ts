/** kubectl rollout: restart, history, pause and resume; status and undo have their own files. */
import { UnsupportedCommand, viewAs } from '#spec'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import { type Found, nameOf, objectRef } from '../client/found.ts'
import { createKubectlCall, type KubectlCall } from '../client/kubectl-call.ts'
import { KubectlError } from '../client/kubectl-error.ts'
import { parseFlags } from '../client/parse-flags.ts'
import { alignColumns } from '../print/columns.ts'
import { printChange } from '../print/print-objects.ts'
import { listRevisions, requireDeployment } from './deployment-revisions.ts'
import { undoRollout } from './undo-rollout.ts'
import { OUTPUT, SELECTION, takeWord, type Verb } from './verb.ts'
import { watchRollout } from './watch-rollout.ts'

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

const MANAGER = 'kubectl-rollout'

const TEMPLATED = new Set(['Deployment', 'DaemonSet', 'StatefulSet'])

type Action = (call: KubectlCall, found: Found) => Promise<void>

/** `deployments.apps "web"` */
const quoted = ({ type, object }: Found): string =>
  `${type.plural}${type.group === '' ? '' : `.${type.group}`} "${object.metadata.name}"`

const toRfc3339 = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`

const restart: Action = async (call, found) => {
  if (!TEMPLATED.has(found.type.kind))
    throw new KubectlError(`error: ${quoted(found)} restarting is not supported`)
  if (viewAs('Deployment', found.object).spec?.paused === true)
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
    const isNow = viewAs('Deployment', found.object).spec?.paused === true
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

export const history: Action = async (call, found) => {
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
  status: watchRollout,
  restart,
  undo: undoRollout,
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
