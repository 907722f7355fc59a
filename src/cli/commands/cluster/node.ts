/** `remedium cluster node`: makes a node of a cluster sick, or well again. */
import { RemediumError } from '../../../spec/index.ts'
import { NODE_STATES, type NodeState } from '../../clusters/node-state.ts'
import { defineCommand } from '../../define-command.ts'

const PATIENCE_MS = 30_000
const STATES = Object.entries(NODE_STATES)

export const node = defineCommand({
  summary: 'Let a node of a cluster fall silent, cut it off, or make it well again',
  positionals: 'CLUSTER NODE',
  options: {
    state: {
      type: 'string',
      value: 'STATE',
      about: STATES.map(([state, meaning]) => `${state} (${meaning})`).join(', '),
      choices: Object.keys(NODE_STATES) as NodeState[],
    },
  },
  async run({ options: { state }, positionals, answer }) {
    const [cluster, name] = positionals
    if (cluster === undefined || name === undefined || positionals.length > 2) {
      throw new RemediumError('bad-argument', 'Name one cluster and one of its nodes.', {
        hint: 'Such as "remedium cluster node lab node2 --state silent".',
      })
    }
    if (state === undefined)
      throw new RemediumError('bad-argument', 'Say with --state how the node is to be.', {
        hint: `It takes ${Object.keys(NODE_STATES).join(', ')}.`,
      })
    const { commandCluster } = await import('../../clusters/command-cluster.ts')
    await commandCluster(cluster, { command: 'node', node: name, state }, PATIENCE_MS)
    answer({ cluster, node: name, state }, `${name} is ${state}: ${NODE_STATES[state]}.`)
    return 0
  },
})
