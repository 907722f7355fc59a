/** `remedium recover`: reverts the faults that `remedium inject` has injected. */
import { RemediumError } from '#spec'
import type { InjectedFault, Recovery } from '../clusters/manual-faults.ts'
import { defineCommand } from '../define-command.ts'

const TIMEOUT_MS = 120_000

const describeFault = ({ fault, target }: InjectedFault): string => `${fault} in ${target.service}`

const toText = ({ recovered, failed }: Recovery, cluster: string): string => {
  if (recovered.length + failed.length === 0) return 'There was no fault to revert.'
  const canRetry = failed.some(({ isTargetMissing }) => !isTargetMissing)
  const reset = `"remedium cluster reset ${cluster}" restores the initial state`
  return [
    ...(recovered.length === 0 ? [] : [`Reverted: ${recovered.map(describeFault).join(', ')}.`]),
    ...failed.map(
      (failure) => `Not reverted: ${describeFault(failure)}: ${failure.reason.replace(/\.$/, '')}.`,
    ),
    ...(failed.length === 0
      ? []
      : [
          canRetry
            ? `Try again, or reset the cluster: ${reset}.`
            : `The changed object no longer exists; ${reset}.`,
        ]),
  ].join('\n')
}

export const recover = defineCommand({
  summary: 'Revert the faults that "remedium inject" has injected into a cluster',
  positionals: 'CLUSTER',
  examples: [
    'remedium recover lab      reverts the last fault first; exits with 1 if a fault could not be reverted',
  ],
  async run({ positionals: [cluster, ...more], answer }) {
    if (cluster === undefined || more.length > 0)
      throw new RemediumError('bad-argument', 'Name one cluster.', {
        hint: 'See "remedium cluster ls" for the clusters.',
      })
    const { commandCluster } = await import('../clusters/command-cluster.ts')
    const recovery = (await commandCluster(cluster, { command: 'recover' }, TIMEOUT_MS)) as Recovery
    answer({ cluster, ...recovery }, toText(recovery, cluster))
    return recovery.failed.length === 0 ? 0 : 1
  },
})
