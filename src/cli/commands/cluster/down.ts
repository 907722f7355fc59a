/** `remedium cluster down`: ends clusters, and leaves nothing of them. */
import { RemediumError } from '../../../spec/index.ts'
import { defineCommand } from '../../define-command.ts'

export const down = defineCommand({
  summary: 'End clusters that run in the background',
  positionals: '[NAME ...]',
  options: { all: { type: 'boolean', about: 'end all that can be ended from here' } },
  async run({ options, positionals, answer }) {
    if (options.all === positionals.length > 0) {
      throw new RemediumError('bad-argument', 'Name the clusters to end, or give --all.', {
        hint: 'See "remedium cluster ls" for those there are.',
      })
    }
    const { endClusters } = await import('../../clusters/end-clusters.ts')
    const ended = await endClusters(options.all ? undefined : positionals)
    answer({ ended }, ended.length === 0 ? 'No cluster was running.' : `Ended: ${ended.join(', ')}.`)
    return 0
  },
})
