/** `remedium cluster prune`: removes the leftovers of clusters, sandboxes and workers whose process was killed. */
import { defineCommand } from '../../define-command.ts'

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [count === 1 ? one : `${count} ${many}`]

export const prune = defineCommand({
  summary: 'Remove the leftovers of clusters and runs whose process was killed',
  async run({ answer }) {
    const { cleanUp } = await import('#lab/workers')
    const { removed, sandboxes, workers } = await cleanUp()
    const all = [
      ...removed,
      ...counted(sandboxes, 'a sandbox', 'sandboxes'),
      ...counted(workers, 'a worker', 'workers'),
    ]
    answer(
      { removed, ...(sandboxes === 0 ? {} : { sandboxes }), ...(workers === 0 ? {} : { workers }) },
      all.length === 0 ? 'There are no leftovers.' : `Removed the leftovers of ${all.join(', ')}.`,
    )
    return 0
  },
})
