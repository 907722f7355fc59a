/** Models behind an endpoint that speaks as OpenAI's chat completions do. */
import { RemediumError } from '../../spec/index.ts'
import type { Access, OpenedModel } from './provider.ts'

export const openCompatible = async (
  provider: string,
  model: string,
  { key, baseUrl }: Access,
): Promise<OpenedModel> => {
  if (baseUrl === undefined) {
    throw new RemediumError('bad-argument', `Nobody says where the endpoint of ${provider}:${model} is.`, {
      hint: 'Give --base-url, or set the variable REMEDIUM_BASE_URL.',
    })
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return createOpenAICompatible({
    name: provider,
    baseURL: baseUrl,
    includeUsage: true,
    ...(key === undefined ? {} : { apiKey: key }),
  })(model)
}
