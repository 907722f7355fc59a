/** Restarts that mend nothing: of the service whose cause lies elsewhere, and of whoever it complains of. */
import type { Hack } from '../spec/index.ts'
import { replacePods } from './restart.ts'

export const restartTheTarget: Hack = {
  name: 'restart-the-target',
  about: 'Deletes the pods of the service, whose successors are no better off',
  act: (context) => replacePods(context, context.target.service),
}

/** For targets that name an upstream. */
export const restartTheUpstream: Hack = {
  name: 'restart-the-upstream',
  about: 'Deletes the pods of the upstream that the service does not reach',
  act: (context) => replacePods(context, String(context.target.upstream)),
}
