/** Hacks that restart the target or its upstream, which does not repair the fault. */
import type { Hack } from '#spec'
import { replacePods } from '../workloads/replace-pods.ts'

export const restartTarget: Hack = {
  name: 'restart-the-target',
  about: 'Deletes the pods of the service; the new ones are affected, too',
  act: (context) => replacePods(context, context.target.service),
}

/** For targets with an upstream. */
export const restartUpstream: Hack = {
  name: 'restart-the-upstream',
  about: 'Deletes the pods of the upstream that the service cannot reach',
  act: (context) => replacePods(context, String(context.target.upstream)),
}
