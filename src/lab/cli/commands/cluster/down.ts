/** `remedium cluster down`: stops clusters and removes their resources. */
import { RemediumError } from '#spec'
import { defineCommand } from '../../define-command.ts'

export const down = defineCommand({
  summary: 'Stop clusters that run in the background',
  positionals: '[NAME ...]',
  options: { all: { type: 'boolean', about: 'stop all clusters that run in the background' } },
  async run({ options, positionals, answer }) {
    if (options.all === positionals.length > 0) {
      throw new RemediumError('bad-argument', 'Name the clusters to stop, or give --all.', {
        hint: 'See "remedium cluster ls" for the clusters.',
      })
    }
    const { endClusters } = await import('../../clusters/end-clusters.ts')
    const stopped = await endClusters(options.all ? undefined : positionals)
    answer({ stopped }, stopped.length === 0 ? 'No cluster was running.' : `Stopped: ${stopped.join(', ')}.`)
    return 0
  },
})
