/** Anthropic's models. */
import type { Provider } from './provider.ts'

export const anthropic: Provider = {
  name: 'anthropic',
  about: 'Anthropic',
  example: 'claude-sonnet-4-5',
  keyVariables: ['ANTHROPIC_API_KEY'],
  needsKey: true,
  urlVariables: ['ANTHROPIC_BASE_URL'],
  baseUrl: 'https://api.anthropic.com/v1',
  async open(model, { key, baseUrl }) {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    return createAnthropic({ apiKey: key!, baseURL: baseUrl })(model)
  },
}
