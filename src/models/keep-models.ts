/** Models that stay open, so that what an endpoint refuses is learnt once and not in every episode. */
import type { LanguageModel } from '../spec/index.ts'
import { type ModelOptions, openModel } from './open-model.ts'
import { type Environment, PROVIDERS } from './providers/index.ts'
import { REPLAY } from './replaying.ts'

/** What a run says of its models: all that tells two of the same name apart. */
export type KeptOptions = Pick<ModelOptions, 'baseUrl' | 'addresses' | 'tools' | 'price' | 'record'>

/** Without what a run keeps in its settings: whoever goes on with it may have set other addresses and prices since. */
const withoutChoices = (env: Environment): Environment => {
  const choices = new Set(['REMEDIUM_PRICE', ...PROVIDERS.flatMap(({ urlVariables }) => urlVariables)])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !choices.has(name)))
}

/** Opens a model when it is first asked for by this name with these settings. */
export const keepModels = () => {
  const opened = new Map<string, LanguageModel>()
  return (name: string, options: KeptOptions = {}): LanguageModel => {
    // A recording gives each answer once, so that whoever plays it again begins at its beginning.
    if (name.startsWith(`${REPLAY}:`)) return openModel(name, options)
    const env = withoutChoices(process.env)
    const { baseUrl, addresses, tools, price, record } = options
    const key = JSON.stringify([name, baseUrl, addresses, tools, price, record])
    const model = opened.get(key) ?? openModel(name, { ...options, env })
    opened.set(key, model)
    return model
  }
}

export type ModelKeeper = ReturnType<typeof keepModels>
