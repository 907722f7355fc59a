/** Google's Gemini models. */
import type { Provider } from './provider.ts'

export const google: Provider = {
  name: 'google',
  about: 'Google Gemini',
  example: 'gemini-2.5-flash',
  keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY'],
  needsKey: true,
  urlVariables: ['GOOGLE_BASE_URL'],
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  reasoningOptions: { google: { thinkingConfig: { includeThoughts: true } } },
  async open(model, { key, baseUrl }) {
    const { createGoogle } = await import('@ai-sdk/google')
    return createGoogle({ apiKey: key!, baseURL: baseUrl })(model)
  },
}
