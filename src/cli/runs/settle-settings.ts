/** What the environment says of models is kept with the run, so that whoever goes on with it elsewhere does the same. */
import { resolve } from 'node:path'
import { addressesIn } from '../../models/index.ts'
import type { Contender, RunSettings } from '../../spec/index.ts'

/** What the settings say themselves comes first; where nobody asks a model, there is nothing to be added. */
export const settleSettings = (
  contenders: readonly Contender[],
  settings: RunSettings,
  env: NodeJS.ProcessEnv = process.env,
): RunSettings => {
  const models = contenders.flatMap((contender) => Object.values(contender.models))
  if (models.length === 0) return settings
  const { REMEDIUM_PRICE: price, REMEDIUM_RECORD: record } = env
  const addresses = settings.baseUrl === undefined ? addressesIn(env, models) : {}
  return {
    ...(Object.keys(addresses).length === 0 ? {} : { addresses }),
    ...(price ? { price } : {}),
    ...(record ? { recordTo: resolve(record) } : {}),
    ...settings,
  }
}
