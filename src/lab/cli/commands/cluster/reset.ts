/** `remedium cluster reset`: restores the state that the cluster had when it became ready. */
import { RemediumError, type ResetReport } from '#spec'
import { defineCommand } from '../../define-command.ts'

const TIMEOUT_MS = 300_000

const toText = ({ deleted, recreated, updated, milliseconds }: ResetReport): string => {
  const parts = Object.entries({ deleted, recreated, updated }).filter(([, names]) => names.length > 0)
  const lines = parts.map(([change, names]) => `${change}: ${names.join(', ')}\n`)
  return `${lines.join('')}The cluster was reset in ${(milliseconds / 1000).toFixed(1)} s.`
}

export const reset = defineCommand({
  summary: 'Restore the initial state of a cluster, changing only the objects that differ',
  positionals: 'NAME',
  async run({ positionals, answer }) {
    if (positionals.length !== 1) {
      throw new RemediumError('bad-argument', 'Name one cluster to reset.', {
        hint: 'See "remedium cluster ls" for the clusters.',
      })
    }
    const { commandCluster } = await import('../../clusters/command-cluster.ts')
    const report = (await commandCluster(positionals[0]!, { command: 'reset' }, TIMEOUT_MS)) as ResetReport
    answer(report, toText(report))
    return 0
  },
})
