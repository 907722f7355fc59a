/** `remedium inject`: puts one fault into a running cluster by hand. */
import { RemediumError } from '../../spec/index.ts'
import type { Injected } from '../clusters/manual-faults.ts'
import { defineCommand } from '../define-command.ts'

const PATIENCE_MS = 120_000

export const inject = defineCommand({
  summary: 'Put a fault into the system on a cluster',
  positionals: 'CLUSTER FAULT',
  examples: [
    'remedium inject lab cpu-stress                                          where it fits first',
    'remedium inject lab cpu-stress --target cartservice --param workers=4   in this service, with this parameter',
    'remedium recover lab                                                    takes all back',
  ],
  options: {
    target: { type: 'string', value: 'SERVICE', about: 'what to hit; see "remedium faults FAULT"' },
    param: { type: 'string', value: 'NAME=VALUE', about: 'instead of the default', multiple: true },
  },
  async run({ positionals, options, answer }) {
    const [cluster, fault] = positionals
    if (cluster === undefined || fault === undefined || positionals.length > 2)
      throw new RemediumError('bad-argument', 'Name one cluster and one fault.', {
        hint: 'Such as "remedium inject lab cpu-stress"; "remedium faults" lists those there are.',
      })
    // What is mistyped is told before the cluster is asked.
    const { loadNamedFault } = await import('../faults/load-named-fault.ts')
    const { parseParameters } = await import('../faults/parse-parameters.ts')
    parseParameters(await loadNamedFault(fault), options.param)
    const { commandCluster } = await import('../clusters/command-cluster.ts')
    const injected = (await commandCluster(
      cluster,
      {
        command: 'inject',
        fault,
        parameters: options.param,
        ...(options.target === undefined ? {} : { target: options.target }),
      },
      PATIENCE_MS,
    )) as Injected
    answer(
      { cluster, ...injected },
      `${fault} is in ${injected.target.service} now; "remedium recover ${cluster}" takes it back.`,
    )
    return 0
  },
})
