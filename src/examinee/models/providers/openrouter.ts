/** OpenRouter, which also reports the cost of each answer. */
import { openCompatible } from './open-compatible.ts'
import type { Provider } from './provider.ts'

export const openrouter: Provider = {
  name: 'openrouter',
  about: 'OpenRouter: models of many vendors with one key',
  example: 'deepseek/deepseek-chat',
  keyVariables: ['OPENROUTER_API_KEY'],
  needsKey: true,
  urlVariables: ['OPENROUTER_BASE_URL'],
  baseUrl: 'https://openrouter.ai/api/v1',
  reportsCost: true,
  open: (model, access) => openCompatible('openrouter', model, access),
}
