/** `remedium cluster prune`: removes the leftovers of clusters, sandboxes and workers whose process was killed. */
import { defineCommand } from '../../define-command.ts'

const toCountText = (count: number, singular: string, plural: string): string[] =>
  count === 0 ? [] : [count === 1 ? singular : `${count} ${plural}`]

export const prune = defineCommand({
  summary: 'Remove the leftovers of clusters and runs whose process was killed',
  async run({ answer }) {
    const { cleanUp } = await import('#lab/workers')
    const { removed, sandboxes, workers } = await cleanUp()
    const all = [
      ...removed,
      ...toCountText(sandboxes, 'a sandbox', 'sandboxes'),
      ...toCountText(workers, 'a worker', 'workers'),
    ]
    answer(
      { removed, ...(sandboxes === 0 ? {} : { sandboxes }), ...(workers === 0 ? {} : { workers }) },
      all.length === 0 ? 'There are no leftovers.' : `Removed the leftovers of ${all.join(', ')}.`,
    )
    return 0
  },
})
