/** Fault: an environment variable names a port on which the upstream does not listen. */
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

export const fault = defineTemplateFault({
  name: 'port-wrong',
  about: 'An environment variable of a service names a port on which its upstream does not listen',
  category: 'pod-config-error',
  layer: 'application',
  type: 'misconfiguration',
  parameters: {
    offset: {
      type: 'integer',
      about: 'The difference from the correct port',
      min: 1,
      max: 9,
      default: 1,
    },
  },
  symptoms: [
    'the service has been unable to reach an upstream since its last rollout',
    'its log reports refused connections',
  ],
  targets: (system) => addressVariables(system).filter(({ value }) => splitAddress(value).port !== ''),
  edit({ system, target, params }) {
    const { host, port } = splitAddress(target.value)
    return variableSetTo(system, target, `${host}:${Number(port) + Number(params.offset)}`)
  },
  undo: ({ system, target }) => variableAsDeployed(system, target),
  taskName: 'Set the correct address',
  read: addressIn,
  isAccepted: leadsToUpstream,
  hacks: [restartUpstream],
})
