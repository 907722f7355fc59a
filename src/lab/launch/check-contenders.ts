/** Checks agents, models and settings before a run starts: it opens each model and creates each agent once. */
import { dirname } from 'node:path'
import { ACTIONS } from '#examinee/aci'
import { loadAgent } from '#examinee/agents'
import { isPriced, openModel, REPLAY } from '#examinee/models'
import { findNearestName } from '#kit'
import { checkFolder, checkRegularFile } from '#lab/records'
import { agentOptionsOf, LABORATORY_AGENTS, modelOptionsOf } from '#lab/runs'
import { type Contender, RemediumError, type RunSettings } from '#spec'
import { resolveSettings } from './resolve-settings.ts'

const rejectUnknownActions = ({ allow = [], deny = [] }: RunSettings): void => {
  const names = ACTIONS.map(({ name }) => name)
  const unknown = [...allow, ...deny].find((name) => !names.includes(name))
  if (unknown === undefined) return
  const near = findNearestName(unknown, names)
  throw new RemediumError('bad-argument', `There is no action "${unknown}".`, {
    hint: near === undefined ? `The actions are: ${names.join(', ')}.` : `Did you mean "${near}"?`,
  })
}

const checkRecording = ({ recordTo }: RunSettings): void => {
  if (recordTo === undefined) return
  checkFolder(dirname(recordTo), '--record')
  checkRegularFile(recordTo)
}

/** With several providers, the key of one would be sent to the address of another. */
const rejectSharedAddress = (models: ReadonlySet<string>, { baseUrl }: RunSettings): void => {
  const providers = new Set([...models].map((name) => name.slice(0, name.indexOf(':'))))
  providers.delete(REPLAY)
  if (baseUrl === undefined || providers.size < 2) return
  throw new RemediumError(
    'bad-argument',
    `--base-url is the address of one provider, but the models have several: ${[...providers].join(', ')}.`,
    { hint: 'Set the address of each provider in its environment variable; see "remedium models".' },
  )
}

const rejectUnusedOptions = (agents: readonly string[], { agentOptions = {} }: RunSettings): void => {
  const unused = Object.keys(agentOptions).find((name) => !agents.includes(name))
  if (unused === undefined) return
  throw new RemediumError(
    'bad-argument',
    `--set names the agent "${unused}", which does not take part in this run.`,
  )
}

const checkModels = (contenders: readonly Contender[], settings: RunSettings): void => {
  const models = new Set(contenders.flatMap((contender) => Object.values(contender.models)))
  if (settings.sampling !== undefined && models.size === 0)
    throw new RemediumError(
      'bad-argument',
      '--temperature, --top-p, --model-seed and --reasoning require an agent with a model.',
    )
  rejectSharedAddress(models, settings)
  const options = modelOptionsOf(settings)
  for (const name of models) openModel(name, options)
  const unpriced = [...models].find((name) => !isPriced(name, options))
  if (settings.maxCostUsd === undefined || unpriced === undefined) return
  throw new RemediumError(
    'bad-argument',
    `--cost cannot limit the model ${unpriced}, because its price is unknown.`,
    { hint: 'Give --price IN,OUT, or set a limit with --tokens.' },
  )
}

/** Throws on the first mistake. */
export const checkContenders = async (
  contenders: readonly Contender[],
  given: RunSettings,
): Promise<void> => {
  const settings = resolveSettings(contenders, given)
  rejectUnknownActions(settings)
  checkRecording(settings)
  const agents = [...new Set(contenders.map(({ agent }) => agent))]
  rejectUnusedOptions(agents, settings)
  for (const name of agents)
    if (!LABORATORY_AGENTS.some((agent) => agent.name === name))
      await loadAgent(name, agentOptionsOf(name, settings))
  checkModels(contenders, settings)
}
