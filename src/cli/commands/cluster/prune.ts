/** `remedium cluster prune`: removes what is left of clusters and sandboxes whose process was killed. */
import { defineCommand } from '../../define-command.ts'

export const prune = defineCommand({
  summary: 'Remove what is left of clusters whose process was killed',
  async run({ answer }) {
    const { createRealClock } = await import('../../../kit/index.ts')
    const { pruneClusters, stateFolder } = await import('../../../engines/local/machine/index.ts')
    const { sweepSandboxes } = await import('../../../sandbox/index.ts')
    const sandboxes = await sweepSandboxes()
    const { removed } = await pruneClusters(stateFolder(), createRealClock({ keepsAlive: true }))
    const all = [
      ...removed,
      ...(sandboxes === 0 ? [] : [sandboxes === 1 ? 'a sandbox' : `${sandboxes} sandboxes`]),
    ]
    answer(
      { removed, ...(sandboxes === 0 ? {} : { sandboxes }) },
      all.length === 0 ? 'Nothing was left over.' : `Removed what was left of ${all.join(', ')}.`,
    )
    return 0
  },
})
