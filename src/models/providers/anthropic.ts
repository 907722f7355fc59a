/** Anthropic's models. */
import type { Provider } from './provider.ts'

export const anthropic: Provider = {
  name: 'anthropic',
  about: 'Anthropic',
  example: 'claude-sonnet-4-5',
  keyVariables: ['ANTHROPIC_API_KEY'],
  needsKey: true,
  urlVariables: ['ANTHROPIC_BASE_URL'],
  async open(model, { key, baseUrl }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ apiKey: key!, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) })(model)
  },
}
