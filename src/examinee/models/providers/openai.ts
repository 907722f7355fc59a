/** OpenAI, through its Responses API. */
import type { Provider } from './provider.ts'

export const openai: Provider = {
  name: 'openai',
  about: 'OpenAI',
  example: 'gpt-5-mini',
  keyVariables: ['OPENAI_API_KEY'],
  needsKey: true,
  urlVariables: ['OPENAI_BASE_URL'],
  baseUrl: 'https://api.openai.com/v1',
  async open(model, { key, baseUrl }) {
    const { createOpenAI } = await import('@ai-sdk/openai')
    return createOpenAI({ apiKey: key!, baseURL: baseUrl })(model)
  },
}
