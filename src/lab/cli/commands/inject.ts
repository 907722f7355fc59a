/** `remedium inject`: injects a fault into a running cluster. */
import { defined } from '#kit'
import { RemediumError } from '#spec'
import type { InjectedFault } from '../clusters/manual-faults.ts'
import { defineCommand } from '../define-command.ts'

const TIMEOUT_MS = 120_000

export const inject = defineCommand({
  summary: 'Inject a fault into the system on a cluster',
  positionals: 'CLUSTER FAULT',
  examples: [
    'remedium inject lab cpu-stress                                          inject into the first target',
    'remedium inject lab cpu-stress --target cartservice --param workers=4   choose the service and a parameter',
    'remedium recover lab                                                    revert all injected faults',
  ],
  options: {
    target: {
      type: 'string',
      value: 'SERVICE',
      about: 'the target; see "remedium faults FAULT" (default: the first)',
    },
    param: { type: 'string', value: 'NAME=VALUE', about: 'set a parameter of the fault', multiple: true },
  },
  async run({ positionals, options, answer }) {
    const [cluster, fault] = positionals
    if (cluster === undefined || fault === undefined || positionals.length > 2)
      throw new RemediumError('bad-argument', 'Name one cluster and one fault.', {
        hint: 'For example: "remedium inject lab cpu-stress". See "remedium faults" for the faults.',
      })
    // Rejects bad arguments before a request is sent to the cluster.
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
        ...defined({ target: options.target }),
      },
      TIMEOUT_MS,
    )) as InjectedFault
    answer(
      { cluster, ...injected },
      `Injected ${fault} into ${injected.target.service}. Revert it with "remedium recover ${cluster}".`,
    )
    return 0
  },
})
