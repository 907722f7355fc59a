/** Fault: a service rejects valid tokens as expired. */
import {
  addReplica,
  defineTemplateFault,
  essentialWorkloads,
  patchTarget,
  readsVariable,
  variablesIn,
  withDeployedVariables,
  withVariables,
} from '#exam/fault-parts'
import type { Hack, SystemView } from '#spec'

const MAX_AGE_VARIABLE = 'JWT_MAX_AGE'
/** With a lower maximum age, tokens could expire before users renew them. */
const MIN_SECONDS = 600
/** The default is an hour. A token that is valid for days is a security risk if it is stolen. */
const MAX_SECONDS = 24 * 3600

/** Whether all access rules require a token. Otherwise users may need only open endpoints. */
const requiresTokens = (system: SystemView, service: string): boolean => {
  const { access = [] } = system.topology?.services[service]?.behaviour ?? {}
  return access.length > 0 && access.every(({ allow }) => allow !== 'anyone')
}

const allowOneSecond: Hack = {
  name: 'allow-tokens-for-one-second',
  about: 'Sets the maximum age of tokens to one second',
  act: async (context) => {
    await patchTarget(context, { template: { spec: withVariables(context, { [MAX_AGE_VARIABLE]: '1' }) } })
  },
}

const allowCentury: Hack = {
  name: 'allow-tokens-for-a-century',
  about: 'Sets the maximum age of tokens to a century',
  act: async (context) => {
    const spec = withVariables(context, { [MAX_AGE_VARIABLE]: String(100 * 365 * 24 * 3600) })
    await patchTarget(context, { template: { spec } })
  },
}

export const fault = defineTemplateFault({
  name: 'token-expired',
  about: 'A service rejects the tokens of its users as expired, because their maximum age was set to zero',
  category: 'pod-config-error',
  layer: 'application',
  type: 'authentication-issue',
  otherTypes: ['misconfiguration'],
  // The age is not a parameter: with an age of one second, the user impact would depend on the speed of users.
  parameters: {},
  impactOnceReady: () => 'failures',
  symptoms: ['users who have logged in receive 403', 'new tokens are rejected'],
  targets: (system) =>
    essentialWorkloads(system)
      .filter(
        ({ service }) => readsVariable(system, service, MAX_AGE_VARIABLE) && requiresTokens(system, service),
      )
      .map(({ service }) => ({ service })),
  edit: (faultCase) => withVariables(faultCase, { [MAX_AGE_VARIABLE]: '0' }),
  undo: (faultCase) => withDeployedVariables(faultCase, [MAX_AGE_VARIABLE]),
  taskName: 'Restore the maximum age of tokens',
  read: (workload, faultCase, objects) =>
    variablesIn(workload, faultCase, { names: [MAX_AGE_VARIABLE], objects }),
  // An explicit maximum age instead of the default is also a correct fix.
  isAccepted: (variables) => {
    const seconds = Number((variables as Readonly<Record<string, unknown>>)[MAX_AGE_VARIABLE])
    return seconds >= MIN_SECONDS && seconds <= MAX_SECONDS
  },
  hacks: [addReplica, allowOneSecond, allowCentury],
})
