/** What the environment says of models and programs is kept with the run, so that whoever goes on with it elsewhere does the same. */
import { resolve } from 'node:path'
import { addressesIn } from '../../models/index.ts'
import type { Contender, RunSettings } from '../../spec/index.ts'

/** The same command line may be another program in another folder, or none at all. */
const placeOf = (contenders: readonly Contender[], { agentOptions }: RunSettings): RunSettings =>
  contenders.some(({ agent }) => agent === 'external')
    ? { externalFolder: resolve(agentOptions?.external?.folder ?? '.') }
    : {}

/** What the settings say themselves comes first; where nobody asks a model, nothing of models is added. */
export const settleSettings = (
  contenders: readonly Contender[],
  settings: RunSettings,
  env: NodeJS.ProcessEnv = process.env,
): RunSettings => {
  const models = contenders.flatMap((contender) => Object.values(contender.models))
  const place = placeOf(contenders, settings)
  if (models.length === 0) return { ...place, ...settings }
  const { REMEDIUM_PRICE: price, REMEDIUM_RECORD: record } = env
  const addresses = settings.baseUrl === undefined ? addressesIn(env, models) : {}
  return {
    ...place,
    ...(Object.keys(addresses).length === 0 ? {} : { addresses }),
    ...(price ? { price } : {}),
    ...(record ? { recordTo: resolve(record) } : {}),
    ...settings,
  }
}
