/** `remedium recover`: takes back what `remedium inject` has put into a cluster. */
import { RemediumError } from '../../spec/index.ts'
import type { Injected } from '../clusters/manual-faults.ts'
import { defineCommand } from '../define-command.ts'

const PATIENCE_MS = 120_000

export const recover = defineCommand({
  summary: 'Take back the faults that were put into a cluster by hand',
  positionals: 'CLUSTER',
  async run({ positionals: [cluster, ...more], answer }) {
    if (cluster === undefined || more.length > 0)
      throw new RemediumError('bad-argument', 'Name one cluster.', {
        hint: 'See "remedium cluster ls" for those there are.',
      })
    const { commandCluster } = await import('../clusters/command-cluster.ts')
    const recovered = (await commandCluster(cluster, { command: 'recover' }, PATIENCE_MS)) as Injected[]
    answer(
      { cluster, recovered },
      recovered.length === 0
        ? 'No fault was there.'
        : `Taken back: ${recovered.map(({ fault, target }) => `${fault} in ${target.service}`).join(', ')}.`,
    )
    return 0
  },
})
