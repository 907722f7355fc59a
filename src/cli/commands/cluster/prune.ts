/** `remedium cluster prune`: removes what is left of clusters, sandboxes and workers whose process was killed. */
import { defineCommand } from '../../define-command.ts'

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [count === 1 ? one : `${count} ${many}`]

export const prune = defineCommand({
  summary: 'Remove what is left of clusters and runs whose process was killed',
  async run({ answer }) {
    const { clearAway } = await import('../../../runs/index.ts')
    const { removed, sandboxes, workers } = await clearAway()
    const all = [
      ...removed,
      ...counted(sandboxes, 'a sandbox', 'sandboxes'),
      ...counted(workers, 'a worker', 'workers'),
    ]
    answer(
      { removed, ...(sandboxes === 0 ? {} : { sandboxes }), ...(workers === 0 ? {} : { workers }) },
      all.length === 0 ? 'Nothing was left over.' : `Removed what was left of ${all.join(', ')}.`,
    )
    return 0
  },
})
