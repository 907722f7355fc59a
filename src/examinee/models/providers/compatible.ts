/** Any OpenAI-compatible endpoint, at a given address. */
import { openCompatible } from './open-compatible.ts'
import type { Provider } from './provider.ts'

export const compatible: Provider = {
  name: 'compatible',
  about: 'any OpenAI-compatible endpoint, by its address',
  example: 'my-model',
  keyVariables: ['REMEDIUM_API_KEY'],
  needsKey: false,
  urlVariables: ['REMEDIUM_BASE_URL'],
  open: (model, access) => openCompatible('compatible', model, access),
}
