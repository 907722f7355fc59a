/** `remedium cluster reset`: back to how the cluster was when it was ready. */
import { RemediumError, type ResetReport } from '../../../spec/index.ts'
import { defineCommand } from '../../define-command.ts'

const PATIENCE_MS = 300_000

const toText = ({ deleted, recreated, updated, milliseconds }: ResetReport): string => {
  const parts = Object.entries({ deleted, 'made anew': recreated, updated }).filter(
    ([, names]) => names.length > 0,
  )
  const lines = parts.map(([what, names]) => `${what}: ${names.join(', ')}\n`)
  return `${lines.join('')}The cluster is as it was at first, after ${(milliseconds / 1000).toFixed(1)} s.`
}

export const reset = defineCommand({
  summary: 'Bring a cluster back to how it was when it was ready, re-creating only what differs',
  positionals: 'NAME',
  async run({ positionals, answer }) {
    if (positionals.length !== 1) {
      throw new RemediumError('bad-argument', 'Name one cluster to reset.', {
        hint: 'See "remedium cluster ls" for those there are.',
      })
    }
    const { commandCluster } = await import('../../clusters/command-cluster.ts')
    const report = (await commandCluster(positionals[0]!, { command: 'reset' }, PATIENCE_MS)) as ResetReport
    answer(report, toText(report))
    return 0
  },
})
