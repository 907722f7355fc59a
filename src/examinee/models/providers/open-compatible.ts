/** Opens a model of an endpoint with OpenAI's chat completions API. */
import { defined } from '#kit'
import type { Access, OpenedModel } from './provider.ts'

export const openCompatible = async (
  provider: string,
  model: string,
  { key, baseUrl }: Access,
): Promise<OpenedModel> => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({
    name: provider,
    baseURL: baseUrl,
    includeUsage: true,
    ...defined({ apiKey: key }),
  })(model)
}
