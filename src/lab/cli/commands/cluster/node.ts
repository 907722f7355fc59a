/** `remedium cluster node`: silences, isolates or repairs a node of a cluster. */
import { RemediumError } from '#spec'
import { NODE_STATES, type NodeState } from '../../clusters/node-state.ts'
import { defineCommand } from '../../define-command.ts'

const TIMEOUT_MS = 30_000
const STATES = Object.entries(NODE_STATES)

export const node = defineCommand({
  summary: 'Silence a node of a cluster, cut it off, or make it ready again',
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
        hint: 'For example: "remedium cluster node lab node2 --state silent".',
      })
    }
    if (state === undefined)
      throw new RemediumError('bad-argument', '--state is required.', {
        hint: `The states are: ${Object.keys(NODE_STATES).join(', ')}.`,
      })
    const { commandCluster } = await import('../../clusters/command-cluster.ts')
    await commandCluster(cluster, { command: 'node', node: name, state }, TIMEOUT_MS)
    answer({ cluster, node: name, state }, `${name} is ${state}: ${NODE_STATES[state]}.`)
    return 0
  },
})
