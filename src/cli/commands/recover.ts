/** `remedium recover`: takes back what `remedium inject` has put into a cluster. */
import { RemediumError } from '../../spec/index.ts'
import type { Injected, Recovery } from '../clusters/manual-faults.ts'
import { defineCommand } from '../define-command.ts'

const PATIENCE_MS = 120_000

const placeOf = ({ fault, target }: Injected): string => `${fault} in ${target.service}`

const textOf = ({ recovered, left }: Recovery, cluster: string): string => {
  if (recovered.length + left.length === 0) return 'No fault was there.'
  const isOver = left.every(({ isForgotten }) => isForgotten)
  return [
    ...(recovered.length === 0 ? [] : [`Taken back: ${recovered.map(placeOf).join(', ')}.`]),
    ...left.map((one) => `Not taken back: ${placeOf(one)}: ${one.reason.replace(/\.$/, '')}.`),
    ...(left.length === 0
      ? []
      : [
          isOver
            ? `What it was put into is gone, so it is forgotten; "remedium cluster reset ${cluster}" makes all as it was.`
            : `Try once more, or "remedium cluster reset ${cluster}" makes all as it was.`,
        ]),
  ].join('\n')
}

export const recover = defineCommand({
  summary: 'Take back the faults that were put into a cluster by hand',
  positionals: 'CLUSTER',
  examples: ['remedium recover lab      the last first; ends with 1 where something could not be taken back'],
  async run({ positionals: [cluster, ...more], answer }) {
    if (cluster === undefined || more.length > 0)
      throw new RemediumError('bad-argument', 'Name one cluster.', {
        hint: 'See "remedium cluster ls" for those there are.',
      })
    const { commandCluster } = await import('../clusters/command-cluster.ts')
    const recovery = (await commandCluster(cluster, { command: 'recover' }, PATIENCE_MS)) as Recovery
    answer({ cluster, ...recovery }, textOf(recovery, cluster))
    return recovery.left.length === 0 ? 0 : 1
  },
})
