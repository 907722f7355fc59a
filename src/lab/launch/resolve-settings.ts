/** Adds model settings from the environment and the folder of an external agent to the settings that a run stores. */
import { resolve } from 'node:path'
import { findAddresses } from '#examinee/models'
import type { Contender, RunSettings } from '#spec'

/** Stored for a resumed run, because relative paths in the command line of the agent depend on it. */
const externalFolderOf = (contenders: readonly Contender[], { agentOptions }: RunSettings): RunSettings =>
  contenders.some(({ agent }) => agent === 'external')
    ? { externalFolder: resolve(agentOptions?.external?.folder ?? '.') }
    : {}

/** Given settings take precedence. Settings of models are added only if a contender uses a model. */
export const resolveSettings = (
  contenders: readonly Contender[],
  settings: RunSettings,
  env: NodeJS.ProcessEnv = process.env,
): RunSettings => {
  const models = contenders.flatMap((contender) => Object.values(contender.models))
  const folder = externalFolderOf(contenders, settings)
  if (models.length === 0) return { ...folder, ...settings }
  const { REMEDIUM_PRICE: price, REMEDIUM_RECORD: record } = env
  const addresses = settings.baseUrl === undefined ? findAddresses(env, models) : {}
  return {
    ...folder,
    ...(Object.keys(addresses).length === 0 ? {} : { addresses }),
    ...(price ? { price } : {}),
    ...(record ? { recordTo: resolve(record) } : {}),
    ...settings,
  }
}
