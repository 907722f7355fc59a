/** A variable of the environment that names a host which is not there. */
import {
  addressIn,
  addressVariables,
  defineTemplateFault,
  restartTheUpstream,
  splitAddress,
  variableAsDeployed,
  variableSetTo,
} from '../../fault-parts/index.ts'
import type { FaultCase } from '../../spec/index.ts'

const wrongAddress = ({ target, params }: FaultCase): string => {
  const { host, port } = splitAddress(target.value)
  const elsewhere = params.mistake === 'other-namespace' ? `${host}.staging` : `${host}-svc`
  return port === '' ? elsewhere : `${elsewhere}:${port}`
}

export const fault = defineTemplateFault({
  name: 'address-wrong',
  about: 'A variable of the environment sends a service to a host that does not exist',
  category: 'pod-config-error',
  layer: 'application',
  type: 'misconfiguration',
  parameters: {
    mistake: {
      type: 'choice',
      about: 'Whether the name is misspelt, or that of another namespace',
      choices: ['misspelt', 'other-namespace'],
      default: 'misspelt',
    },
  },
  symptoms: [
    'the service does not reach an upstream since its last rollout',
    'its log says that a host is not known',
  ],
  targets: addressVariables,
  edit: (about) => variableSetTo(about.system, about.target, wrongAddress(about)),
  undo: ({ system, target }) => variableAsDeployed(system, target),
  fixName: 'Set the address',
  look: addressIn,
  hacks: [restartTheUpstream],
})
