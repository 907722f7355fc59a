/** A variable of the environment that names a port on which the upstream does not listen. */
import {
  addressIn,
  addressVariables,
  defineTemplateFault,
  restartTheUpstream,
  splitAddress,
  variableAsDeployed,
  variableSetTo,
} from '../../fault-parts/index.ts'

export const fault = defineTemplateFault({
  name: 'port-wrong',
  about: 'A variable of the environment sends a service to a port on which its upstream does not listen',
  category: 'pod-config-error',
  layer: 'application',
  type: 'misconfiguration',
  parameters: {
    offset: {
      type: 'integer',
      about: 'How far the port lies from the right one',
      least: 1,
      most: 9,
      default: 1,
    },
  },
  symptoms: [
    'the service does not reach an upstream since its last rollout',
    'its log says that connections are refused',
  ],
  targets: (system) => addressVariables(system).filter(({ value }) => splitAddress(value).port !== ''),
  edit({ system, target, params }) {
    const { host, port } = splitAddress(target.value)
    return variableSetTo(system, target, `${host}:${Number(port) + Number(params.offset)}`)
  },
  undo: ({ system, target }) => variableAsDeployed(system, target),
  fixName: 'Set the address',
  look: addressIn,
  hacks: [restartTheUpstream],
})
