/** Opens every model and makes every agent once before anything else is done: what is wrong with them costs nothing then. */
import { dirname } from 'node:path'
import { ACTIONS } from '../../aci/index.ts'
import { loadAgent } from '../../agents/index.ts'
import { nearestName } from '../../kit/index.ts'
import { isPriced, openModel, REPLAY } from '../../models/index.ts'
import {
  agentOptionsOf,
  checkFolder,
  LABORATORY_AGENTS,
  modelOptionsOf,
  refuseStrangeFile,
} from '../../runs/index.ts'
import { type Contender, RemediumError, type RunSettings } from '../../spec/index.ts'
import { settleSettings } from './settle-settings.ts'

const refuseUnknownActions = ({ allow = [], deny = [] }: RunSettings): void => {
  const names = ACTIONS.map(({ name }) => name)
  const unknown = [...allow, ...deny].find((name) => !names.includes(name))
  if (unknown === undefined) return
  const near = nearestName(unknown, names)
  throw new RemediumError('bad-argument', `There is no action "${unknown}".`, {
    hint: near === undefined ? `There are: ${names.join(', ')}.` : `Did you mean "${near}"?`,
  })
}

const checkRecording = ({ recordTo }: RunSettings): void => {
  if (recordTo === undefined) return
  checkFolder(dirname(recordTo), '--record')
  refuseStrangeFile(recordTo)
}

/** One address is that of one provider; others would be sent their keys there. */
const refuseSharedAddress = (models: ReadonlySet<string>, { baseUrl }: RunSettings): void => {
  const providers = new Set([...models].map((name) => name.slice(0, name.indexOf(':'))))
  providers.delete(REPLAY)
  if (baseUrl === undefined || providers.size < 2) return
  throw new RemediumError(
    'bad-argument',
    `--base-url says where one provider is, and the models are of ${[...providers].join(', ')}.`,
    { hint: 'Say by the variables of each where it is; `remedium models` lists them.' },
  )
}

export const checkContenders = async (
  contenders: readonly Contender[],
  given: RunSettings,
): Promise<void> => {
  const settings = settleSettings(contenders, given)
  refuseUnknownActions(settings)
  checkRecording(settings)
  const agents = [...new Set(contenders.map(({ agent }) => agent))]
  const stranger = Object.keys(settings.agentOptions ?? {}).find((name) => !agents.includes(name))
  if (stranger !== undefined)
    throw new RemediumError(
      'bad-argument',
      `--set is about the agent "${stranger}", which is not in this run.`,
    )
  for (const name of agents)
    if (!LABORATORY_AGENTS.some((one) => one.name === name))
      await loadAgent(name, agentOptionsOf(name, settings))
  const models = new Set(contenders.flatMap((contender) => Object.values(contender.models)))
  refuseSharedAddress(models, settings)
  const options = modelOptionsOf(settings)
  for (const name of models) openModel(name, options)
  const unpriced = [...models].find((name) => !isPriced(name, options))
  if (settings.mostCostUsd !== undefined && unpriced !== undefined)
    throw new RemediumError(
      'bad-argument',
      `--cost bounds nothing where nobody knows what ${unpriced} costs.`,
      { hint: 'Give --price IN,OUT, or bound it by --tokens.' },
    )
}
