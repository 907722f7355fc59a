/** Tokens that are taken for expired. */
import {
  addReplica,
  defineTemplateFault,
  missedWorkloads,
  patchTarget,
  readsVariable,
  variablesIn,
  withDeployedVariables,
  withVariables,
} from '../../fault-parts/index.ts'
import type { Hack, SystemView } from '../../spec/index.ts'

const MAX_AGE = 'JWT_MAX_AGE'
/** Users are let in anew more seldom than that. */
const LEAST_SECONDS = 600
/** What is not said is an hour; a token that lives for days is one that never expires for whoever steals it. */
const MOST_SECONDS = 24 * 3600

/** Where everybody must show a token; what is open to anyone may be all that users ask for. */
const asksForTokens = (system: SystemView, service: string): boolean => {
  const { access = [] } = system.topology?.services[service]?.behaviour ?? {}
  return access.length > 0 && access.every(({ allow }) => allow !== 'anyone')
}

const aLittleLonger: Hack = {
  name: 'a-little-longer',
  about: 'Lets tokens live for one second',
  act: async (context) => {
    await patchTarget(context, { template: { spec: withVariables(context, { [MAX_AGE]: '1' }) } })
  },
}

const forEver: Hack = {
  name: 'let-tokens-live-for-ever',
  about: 'Lets tokens be as old as a century',
  act: async (context) => {
    const spec = withVariables(context, { [MAX_AGE]: String(100 * 365 * 24 * 3600) })
    await patchTarget(context, { template: { spec } })
  },
}

export const fault = defineTemplateFault({
  name: 'token-expired',
  about:
    'A service takes the tokens of its users for expired, because the greatest age that it grants them was set to zero',
  category: 'pod-config-error',
  layer: 'application',
  type: 'authentication-issue',
  otherTypes: ['misconfiguration'],
  // One second would do for whoever logs in and asks at once: then it depends on the haste of users what they feel.
  parameters: {},
  symptoms: ['users who have logged in are answered 403', 'tokens that were just given are refused'],
  targets: (system) =>
    missedWorkloads(system)
      .filter(({ service }) => readsVariable(system, service, MAX_AGE) && asksForTokens(system, service))
      .map(({ service }) => ({ service })),
  edit: (about) => withVariables(about, { [MAX_AGE]: '0' }),
  undo: (about) => withDeployedVariables(about, [MAX_AGE]),
  fixName: 'Let tokens be as old as before',
  look: (workload, about) => variablesIn(workload, about, [MAX_AGE]),
  // Whoever says how old they may be instead of leaving it unsaid has mended it too.
  isRight: (variables) => {
    const seconds = Number((variables as Readonly<Record<string, unknown>>)[MAX_AGE])
    return seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS
  },
  hacks: [addReplica, aLittleLonger, forEver],
})
