/** kubectl cordon and uncordon. */
import { viewAs } from '#spec'
import { findObjects } from '../client/find-objects.ts'
import type { FlagDefinitions } from '../client/flags.ts'
import { type Found, nameOf, objectRef } from '../client/found.ts'
import type { KubectlCall } from '../client/kubectl-call.ts'
import { openNodes } from './open-nodes.ts'
import { SELECTION, type Verb } from './verb.ts'

export const CORDON_FLAGS: FlagDefinitions = {
  ...SELECTION,
  'dry-run': { type: 'string', bare: 'unchanged' },
}

export const setSchedulable = async (call: KubectlCall, found: Found, isCordon: boolean): Promise<void> => {
  const word = isCordon ? 'cordoned' : 'uncordoned'
  const isCordoned = viewAs('Node', found.object).spec?.unschedulable === true
  if (isCordoned === isCordon) return call.out(`${nameOf(found)} already ${word}`)
  await call.program.api.patch(
    objectRef(found),
    'strategic',
    { spec: { unschedulable: isCordon ? true : null } },
    { fieldManager: isCordon ? 'kubectl-cordon' : 'kubectl-uncordon' },
  )
  call.out(`${nameOf(found)} ${word}`)
}

const createCordon =
  (isCordon: boolean): Verb =>
  async (program, args) => {
    const call = openNodes(isCordon ? 'cordon' : 'uncordon', program, args, CORDON_FLAGS)
    for (const found of await findObjects(call)) await setSchedulable(call, found, isCordon)
    return 0
  }

export const cordon = createCordon(true)

export const uncordon = createCordon(false)
