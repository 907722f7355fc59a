/** Keeps models open, so that the features an endpoint refuses are detected once and not in every episode. */

import { type Environment, PROVIDERS } from '#examinee/models/providers'
import type { LanguageModel } from '#spec'
import { type ModelOptions, openModel } from './open-model.ts'
import { REPLAY } from './replay-calls.ts'

/** The settings of a run that distinguish two models of the same name. */
export type CachedModelOptions = Pick<ModelOptions, 'baseUrl' | 'addresses' | 'tools' | 'price' | 'record'>

/** Removes the variables whose values a run stores in its manifest: they may have changed when the run is resumed. */
const removeRunSettings = (env: Environment): Environment => {
  const stored = new Set(['REMEDIUM_PRICE', ...PROVIDERS.flatMap(({ urlVariables }) => urlVariables)])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !stored.has(name)))
}

/** Returns a function that opens each combination of name and settings once. */
export const createModelCache = () => {
  const opened = new Map<string, LanguageModel>()
  return (name: string, options: CachedModelOptions = {}): LanguageModel => {
    // A recording returns each answer once, so every episode reopens it.
    if (name.startsWith(`${REPLAY}:`)) return openModel(name, options)
    const env = removeRunSettings(process.env)
    const { baseUrl, addresses, tools, price, record } = options
    const key = JSON.stringify([name, baseUrl, addresses, tools, price, record])
    const model = opened.get(key) ?? openModel(name, { ...options, env })
    opened.set(key, model)
    return model
  }
}

export type ModelCache = ReturnType<typeof createModelCache>
