/** `remedium cluster prune`: removes what is left of clusters whose process was killed. */
import { defineCommand } from '../../define-command.ts'

export const prune = defineCommand({
  summary: 'Remove what is left of clusters whose process was killed',
  async run({ answer }) {
    const { createRealClock } = await import('../../../kit/index.ts')
    const { pruneClusters, stateFolder } = await import('../../../engines/local/machine/index.ts')
    const report = await pruneClusters(stateFolder(), createRealClock({ keepsAlive: true }))
    const { removed } = report
    answer(
      report,
      removed.length === 0 ? 'Nothing was left over.' : `Removed what was left of ${removed.join(', ')}.`,
    )
    return 0
  },
})
