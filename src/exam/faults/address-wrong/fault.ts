/** Fault: an environment variable names a host that does not exist. */
import {
  addressIn,
  addressVariables,
  defineTemplateFault,
  leadsToUpstream,
  restartUpstream,
  splitAddress,
  variableAsDeployed,
  variableSetTo,
} from '#exam/fault-parts'
import type { FaultCase } from '#spec'

const wrongAddress = ({ target, params }: FaultCase): string => {
  const { host, port } = splitAddress(target.value)
  const wrongHost = params.mistake === 'other-namespace' ? `${host}.staging` : `${host}-svc`
  return port === '' ? wrongHost : `${wrongHost}:${port}`
}

export const fault = defineTemplateFault({
  name: 'address-wrong',
  about: 'An environment variable of a service names a host that does not exist',
  category: 'pod-config-error',
  layer: 'application',
  type: 'misconfiguration',
  parameters: {
    mistake: {
      type: 'choice',
      about: 'The mistake: a misspelt name, or a name of another namespace',
      choices: ['misspelt', 'other-namespace'],
      default: 'misspelt',
    },
  },
  symptoms: [
    'the service has been unable to reach an upstream since its last rollout',
    'its log reports an unknown host',
  ],
  targets: addressVariables,
  edit: (faultCase) => variableSetTo(faultCase.system, faultCase.target, wrongAddress(faultCase)),
  undo: ({ system, target }) => variableAsDeployed(system, target),
  taskName: 'Set the correct address',
  read: addressIn,
  isAccepted: leadsToUpstream,
  hacks: [restartUpstream],
})
