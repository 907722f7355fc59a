/** `remedium models`: lists the providers of language models and their keys. */
import type { ProviderListing } from '#examinee/models'
import { toTable } from '#lab/text'
import { defineCommand } from '../define-command.ts'

const keyText = ({ keyVariables, needsKey, isReady, baseUrl, urlVariables }: ProviderListing): string => {
  if (keyVariables.length === 0) return 'none'
  const names = keyVariables.join(' or ')
  const state = isReady ? '(set)' : '(not set)'
  const address = baseUrl === undefined ? `; address in ${urlVariables.join(' or ')} ${state}` : ''
  return needsKey ? `${names} ${state}` : `${names}, optional${address}`
}

export const models = defineCommand({
  summary: 'List the providers of language models and their keys',
  examples: ['remedium run --agent react --model openai:gpt-5-mini     choose a model for an agent'],
  async run({ answer }) {
    const { listProviders } = await import('#examinee/models')
    const providers = listProviders()
    answer(
      { providers },
      toTable(
        ['PROVIDER', 'EXAMPLE', 'KEY', 'DESCRIPTION'],
        providers.map((provider) => [provider.name, provider.example, keyText(provider), provider.about]),
      ),
    )
    return 0
  },
})
