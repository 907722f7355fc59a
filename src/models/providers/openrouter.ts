/** Models of many makers through OpenRouter, which also tells what each answer cost. */
import { openCompatible } from './open-compatible.ts'
import type { Provider } from './provider.ts'

export const openrouter: Provider = {
  name: 'openrouter',
  about: 'OpenRouter: models of many makers with one key',
  example: 'deepseek/deepseek-chat',
  keyVariables: ['OPENROUTER_API_KEY'],
  needsKey: true,
  urlVariables: ['OPENROUTER_BASE_URL'],
  baseUrl: 'https://openrouter.ai/api/v1',
  tellsCost: true,
  open: (model, access) => openCompatible('openrouter', model, access),
}
